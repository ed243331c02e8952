import { Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';
import { Said, Text, useText } from './texts/elements.tsx';
import type { WordKey } from './texts/text.ts';

export interface ConsentScope {
  /** The scope as it stands in the request. */
  readonly name: string;
  /** What it opens, in one sentence. */
  readonly meaning: string;
  /** Not granted to this application before. */
  readonly isNew: boolean;
}

export interface ConsentModel {
  readonly action: string;
  readonly csrf: string;
  readonly application: {
    readonly id?: string;
    readonly name: string;
    /** Origin that the answer goes to; a name can be anything, an origin can not. */
    readonly origin: string;
    /** A picture of theirs; it tells nobody who they are, so that the page says no more by it. */
    readonly logoUri?: string | undefined;
  };
  readonly username: string;
  readonly scopes: readonly ConsentScope[];
  /** Where it can act in the name of the account with what it gets. */
  readonly reach: 'nothing' | 'members' | 'console';
}

/** Sends `decision` (`allow` or `deny`) and `csrf`. */
export function renderConsent(model: ConsentModel, presentation?: Presentation): string {
  return renderDocument(<Consent {...model} />, presentation);
}

function Consent({ action, csrf, application, username, scopes, reach }: ConsentModel) {
  const t = useText();
  const { id, name, origin, logoUri } = application;
  const hasOtherId = id !== undefined && id !== name;
  return (
    <NarrowPage title={t('consent.title', { application: name })}>
      {logoUri !== undefined && <img class="logo" src={logoUri} alt="" referrerpolicy="no-referrer" />}
      <p class="lede">
        <Text
          id={hasOtherId ? 'consent.asksById' : 'consent.asks'}
          gaps={{
            name: <strong>{username}</strong>,
            origin: <span class="code">{origin}</span>,
            id: <span class="code">{id}</span>,
          }}
        />
      </p>
      <Scopes scopes={scopes} />
      <p class="muted">{t(reaches[reach])}</p>
      <Form action={action} hidden={{ csrf }}>
        <div class="actions">
          <button type="submit" name="decision" value="allow" class="button primary">
            {t('act.allow')}
          </button>
          <button type="submit" name="decision" value="deny" class="button">
            {t('act.deny')}
          </button>
        </div>
      </Form>
      <p class="hint">{t('consent.back', { origin })}</p>
    </NarrowPage>
  );
}

const reaches: Readonly<Record<ConsentModel['reach'], WordKey>> = {
  nothing: 'consent.reachNothing',
  members: 'consent.reachMembers',
  console: 'consent.reachConsole',
};

function Scopes({ scopes }: Pick<ConsentModel, 'scopes'>) {
  const t = useText();
  if (scopes.length === 0) return <p class="empty">{t('consent.nothing')}</p>;
  return (
    <ul class="rows boxed">
      {scopes.map(({ name, meaning, isNew }) => (
        <li key={name}>
          <p>
            <Said>{meaning}</Said>
            {isNew && <span class="tag">{t('consent.new')}</span>}
          </p>
          <p class="code muted">{name}</p>
        </li>
      ))}
    </ul>
  );
}
