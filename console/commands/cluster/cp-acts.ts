/** `console cp`: one group, its sessions, and what is done to the CP subsystem by force. */
import { listFlags, listReply } from '../operations/lists.ts';
import type { Command } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { actCommand } from './acts.ts';

/** As the API shows them. */
interface GroupView {
  readonly id: string;
  readonly status: string;
  readonly members: readonly { readonly id: string; readonly address: string }[];
}
interface SessionView {
  readonly id: string;
  readonly endpoint: string;
  readonly endpointType: string;
  readonly endpointName: string | null;
  readonly expiresAt: string | null;
}

const onApi = { isOnApi: true, createsStore: true } as const;
const about = 'cp';

export const cpActs: readonly Command[] = [
  {
    ...onApi,
    name: 'cp group',
    summary: 'Shows a CP group and its members.',
    positionals: ['<group>'],
    async run({ positionals: [group = ''] }, { api }) {
      const view = (await api.call('readCpGroup', { params: { group } })).body as GroupView;
      const members = view.members.map(({ id, address }) => `${address} ${id}`);
      return { text: fields({ group: view.id, status: view.status, members }), json: view };
    },
  },
  {
    ...onApi,
    name: 'cp sessions',
    summary: 'Lists the sessions of a CP group.',
    positionals: ['<group>'],
    flags: listFlags,
    run: (input, tools) =>
      listReply<SessionView>(tools, 'listCpSessions', input, {
        headings: ['SESSION', 'ENDPOINT', 'KIND', 'NAME', 'UNTIL'],
        row: ({ id, endpoint, endpointType, endpointName, expiresAt }) => [
          id,
          endpoint,
          endpointType,
          endpointName ?? '',
          expiresAt ?? '',
        ],
        none: 'The group has no session.',
        params: { group: input.positionals[0] ?? '' },
      }),
  },
  actCommand({
    ...{ name: 'cp promote', operation: 'promoteToCpMember', params: ['member'], about },
    summary: 'Makes a member of the cluster a CP member.',
  }),
  actCommand({
    ...{ name: 'cp remove-member', operation: 'removeCpMember', params: ['cpMember'], about },
    summary: 'Removes a CP member that has gone for good.',
    warning: 'This removes the CP member, which cannot come back as what it was.',
  }),
  actCommand({
    ...{ name: 'cp remove-group', operation: 'removeCpGroup', params: ['group'], about },
    summary: 'Destroys a CP group by force, with all that is in it.',
    warning: 'This destroys the CP group with all that is in it.',
  }),
  actCommand({
    ...{ name: 'cp remove-session', operation: 'removeCpSession', params: ['group', 'session'], about },
    summary: 'Ends a session of a CP group by force: what it holds is let go.',
    warning: 'This ends the session: whoever has it loses what it holds, such as locks.',
  }),
  actCommand({
    ...{ name: 'cp reset', operation: 'resetCp', about },
    summary: 'Destroys every CP group and starts the CP subsystem anew. What was in it is lost.',
    warning: 'This destroys every CP group with all that is in it.',
    takesReason: true,
  }),
];
