/** A machine client tried: what its token would carry and open, and a call as it. */
import { Form } from '../../elements/form.tsx';
import { Said, useText } from '../../texts/elements.tsx';
import { numberIn } from '../../texts/text.ts';
import { Code } from '../code.tsx';
import { Facts, Id, Part } from '../detail.tsx';
import { TextField } from '../forms/fields.tsx';
import { Table } from '../lists/table.tsx';
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
  const t = useText();
  return (
    <Part id="call" title={t('clients.callAsClient')} about={t('clients.decidedByScopes')}>
      <Form action={href} hidden={{ csrf, do: 'try' }}>
        <TextField name="path" label={t('clients.path')} value={path} error={problem} />
        <button type="submit" class="button">
          {t('clients.makeCall')}
        </button>
      </Form>
      {because !== undefined && (
        <Facts
          facts={[
            {
              name: t('clients.decision'),
              value: (
                <>
                  <State kind={isAllowed ? 'ok' : 'danger'}>
                    {isAllowed ? t('clients.goesThrough') : t('common.refused')}
                  </State>{' '}
                  <bdi>
                    <Said>{because}</Said>
                  </bdi>
                </>
              ),
            },
            ...(reply
              ? [
                  { name: t('access.status'), value: String(reply.status) },
                  { name: t('clients.answeredBy'), value: <bdi>{reply.member}</bdi> },
                  { name: t('clients.time'), value: `${numberIn(t.language, reply.durationMs)} ms` },
                  { name: t('clients.size'), value: t('clients.bytes', { bytes: reply.bytes }) },
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
  const t = useText();
  if (!isIssued) {
    return (
      <Part id="trial" title={t('clients.noToken')}>
        <p>{reason !== null && <Said>{reason}</Said>}</p>
      </Part>
    );
  }
  return (
    <Part id="trial" title={t('clients.tokenCarries')} about={t('clients.noTokenIssued')}>
      <Facts
        facts={[
          { name: t('clients.audience'), value: <Id>{audience ?? t('common.none')}</Id> },
          { name: t('grants.scopes'), value: scopes.join(' ') || t('common.none') },
          { name: t('common.roles'), value: roles.join(', ') || t('common.none') },
          { name: t('clients.lifetime'), value: `${ttlSeconds} s` },
        ]}
      />
      {opens.length === 0 ? (
        <p class="empty">{t('clients.opensNothing')}</p>
      ) : (
        <Table
          title={t('clients.callsOpened')}
          columns={[
            { title: t('common.call') },
            { title: t('clients.permission') },
            { title: t('clients.names') },
          ]}
          rows={opens.map(({ methods, path, permission, names }) => ({
            key: `${methods} ${path} ${permission}`,
            cells: [
              <span key="call" class="code">{`${methods.join(', ')} ${path}`}</span>,
              <span key="permission" class="code">
                {permission}
              </span>,
              names === null ? t('access.all') : names.join(', '),
            ],
          }))}
        />
      )}
    </Part>
  );
}
