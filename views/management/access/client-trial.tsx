/** A machine client tried: what its token would carry and open, and a call as it. */
import { Form } from '../../elements/form.tsx';
import { Code } from '../code.tsx';
import { Facts, Id, Part } from '../detail.tsx';
import { TextField } from '../fields.tsx';
import { Table } from '../list.tsx';
import { State } from '../state.tsx';

export interface ShownTrial {
  readonly isIssued: boolean;
  readonly reason: string | null;
  readonly audience: string | null;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly tokenType: string;
  readonly ttlSeconds: number;
  readonly opens: readonly {
    readonly methods: readonly string[];
    readonly path: string;
    readonly permission: string;
    readonly names: readonly string[] | null;
  }[];
}

/** A call that was made as a client, or is to be. */
export interface ShownClientCall {
  /** Empty: none that reads is open to it. */
  readonly path: string;
  /** The decision; undefined where nothing was asked. */
  readonly isAllowed?: boolean;
  readonly because?: string;
  readonly reply?:
    | {
        readonly status: number;
        readonly member: string;
        readonly durationMs: number;
        readonly bytes: number;
        readonly text: string;
      }
    | undefined;
  /** Why it was not made. */
  readonly problem?: string;
}

interface ClientCallProps extends ShownClientCall {
  /** Of the client. */
  readonly href: string;
  readonly csrf: string;
}

/** A call as this client: the decision, and what the member has answered. */
export function ClientCall({ path, isAllowed, because, reply, problem, href, csrf }: ClientCallProps) {
  return (
    <Part
      id="call"
      title="A call as this client"
      about="Decided by its scopes, as with a token of all of them, and made by the console. Only calls that read."
    >
      <Form action={href} hidden={{ csrf, do: 'try' }}>
        <TextField name="path" label="Path" value={path} error={problem} />
        <button type="submit" class="button">
          Make the call
        </button>
      </Form>
      {because !== undefined && (
        <Facts
          facts={[
            {
              name: 'Decision',
              value: (
                <>
                  <State kind={isAllowed ? 'ok' : 'danger'}>{isAllowed ? 'Goes through' : 'Refused'}</State>{' '}
                  <bdi>{because}</bdi>
                </>
              ),
            },
            ...(reply
              ? [
                  { name: 'Status', value: String(reply.status) },
                  { name: 'Answered by', value: <bdi>{reply.member}</bdi> },
                  { name: 'Time', value: `${reply.durationMs} ms` },
                  { name: 'Size', value: `${new Intl.NumberFormat('en').format(reply.bytes)} bytes` },
                ]
              : []),
          ]}
        />
      )}
      {reply && reply.text !== '' && <Code>{reply.text}</Code>}
    </Part>
  );
}

export function Trial({ isIssued, reason, audience, scopes, roles, ttlSeconds, opens }: ShownTrial) {
  if (!isIssued) {
    return (
      <Part id="trial" title="It would get no token">
        <p>{reason}</p>
      </Part>
    );
  }
  return (
    <Part
      id="trial"
      title="What its token would carry and open"
      about="No token was issued. What a token opens is the same at every member."
    >
      <Facts
        facts={[
          { name: 'Audience', value: <Id>{audience ?? 'None'}</Id> },
          { name: 'Scopes', value: scopes.join(' ') || 'None' },
          { name: 'Roles', value: roles.join(', ') || 'None' },
          { name: 'Lifetime', value: `${ttlSeconds} s` },
        ]}
      />
      {opens.length === 0 ? (
        <p class="empty">It opens no call to the members.</p>
      ) : (
        <Table
          title="Calls that it opens"
          columns={[{ title: 'Call' }, { title: 'Permission' }, { title: 'Names' }]}
          rows={opens.map(({ methods, path, permission, names }) => ({
            key: `${methods} ${path} ${permission}`,
            cells: [
              <span key="call" class="code">{`${methods.join(', ')} ${path}`}</span>,
              <span key="permission" class="code">
                {permission}
              </span>,
              names === null ? 'All' : names.join(', '),
            ],
          }))}
        />
      )}
    </Part>
  );
}
