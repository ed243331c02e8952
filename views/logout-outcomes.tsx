/** `asked`: by a frame of the page, which tells nothing back. */
export type LoggedOutState = 'confirmed' | 'waiting' | 'failed' | 'asked';

export interface LoggedOutApplication {
  readonly name: string;
  readonly state: LoggedOutState;
}

interface StateWords {
  readonly tag: string;
  readonly class: string;
  readonly meaning?: string;
}

const states: Readonly<Record<LoggedOutState, StateWords>> = {
  confirmed: { tag: 'Signed out', class: 'tag' },
  asked: { tag: 'Told', class: 'tag', meaning: 'By this page, in this browser.' },
  waiting: { tag: 'No answer yet', class: 'tag waiting', meaning: 'The console keeps telling it.' },
  failed: {
    tag: 'Not confirmed',
    class: 'tag failed',
    meaning: 'It did not answer. To be sure, sign out there too.',
  },
};

interface LogoutOutcomesProps {
  readonly applications: readonly LoggedOutApplication[];
  /** The level below the heading that the list stands under. */
  readonly heading: 'h2' | 'h3';
}

/** What each application of a session has made of its end. */
export function LogoutOutcomes({ applications, heading: Heading }: LogoutOutcomesProps) {
  return (
    <ul class="rows boxed" aria-label="Applications of this session">
      {applications.map(({ name, state }) => (
        <li key={name} class="session outcome">
          <div class="session-text">
            <Heading>{name}</Heading>
            {states[state].meaning && <p class="muted">{states[state].meaning}</p>}
          </div>
          <span class={states[state].class}>{states[state].tag}</span>
        </li>
      ))}
    </ul>
  );
}
