import { Form } from './elements/form.tsx';
import { NarrowPage, renderDocument } from './layout.tsx';
import type { Presentation } from './presentation.ts';

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
  return (
    <NarrowPage title={`Let ${application.name} in?`}>
      {application.logoUri !== undefined && (
        <img class="logo" src={application.logoUri} alt="" referrerpolicy="no-referrer" />
      )}
      <p class="lede">
        You are signed in as <strong>{username}</strong>. The application at{' '}
        <span class="code">{application.origin}</span>
        {application.id !== undefined && application.id !== application.name && (
          <>
            , registered here as <span class="code">{application.id}</span>,
          </>
        )}{' '}
        asks for:
      </p>
      <Scopes scopes={scopes} />
      <p class="muted">{reaches[reach]}</p>
      <Form action={action} hidden={{ csrf }}>
        <div class="actions">
          <button type="submit" name="decision" value="allow" class="button primary">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="button">
            Deny
          </button>
        </div>
      </Form>
      <p class="hint">Either way you go back to {application.origin}.</p>
    </NarrowPage>
  );
}

const reaches: Readonly<Record<ConsentModel['reach'], string>> = {
  nothing: 'None of your roles go along: it can do nothing here or at the members in your name.',
  members: 'It can act so at the members of the cluster, and not here.',
  console: 'It can act so at the administration of this console, and not at the members.',
};

function Scopes({ scopes }: Pick<ConsentModel, 'scopes'>) {
  if (scopes.length === 0) return <p class="empty">Nothing more than to know that you are signed in.</p>;
  return (
    <ul class="rows boxed">
      {scopes.map(({ name, meaning, isNew }) => (
        <li key={name}>
          <p>
            {meaning}
            {isNew && <span class="tag">New</span>}
          </p>
          <p class="code muted">{name}</p>
        </li>
      ))}
    </ul>
  );
}
