import { useText } from './texts/elements.tsx';
import type { WordKey } from './texts/text.ts';

/** `asked`: by a frame of the page, which tells nothing back. */
export type LoggedOutState = 'confirmed' | 'waiting' | 'failed' | 'asked';

export interface LoggedOutApplication {
  readonly name: string;
  readonly state: LoggedOutState;
}

interface StateWords {
  readonly tag: WordKey;
  readonly class: string;
  readonly meaning?: WordKey;
}

const states: Readonly<Record<LoggedOutState, StateWords>> = {
  confirmed: { tag: 'outcome.confirmed', class: 'tag' },
  asked: { tag: 'outcome.asked', class: 'tag', meaning: 'outcome.askedMeaning' },
  waiting: { tag: 'outcome.waiting', class: 'tag waiting', meaning: 'outcome.waitingMeaning' },
  failed: { tag: 'outcome.failed', class: 'tag failed', meaning: 'outcome.failedMeaning' },
};

interface LogoutOutcomesProps {
  readonly applications: readonly LoggedOutApplication[];
  /** The level below the heading that the list stands under. */
  readonly heading: 'h2' | 'h3';
}

/** What each application of a session has made of its end. */
export function LogoutOutcomes({ applications, heading: Heading }: LogoutOutcomesProps) {
  const t = useText();
  return (
    <ul class="rows boxed" aria-label={t('loggedOut.applications')}>
      {applications.map(({ name, state }) => {
        const { tag, class: className, meaning } = states[state];
        return (
          <li key={name} class="session outcome">
            <div class="session-text">
              <Heading>{name}</Heading>
              {meaning && <p class="muted">{t(meaning)}</p>}
            </div>
            <span class={className}>{t(tag)}</span>
          </li>
        );
      })}
    </ul>
  );
}
