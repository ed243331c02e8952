import type { ConfigChange, ConfigChanges } from '../config/changes/config-changes.ts';
import type { ManagementRoute } from '../management/management-route.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { replyEmpty, replyJson } from '../replies.ts';
import type { Call, Route } from '../router.ts';

export interface ConfigEndpointsDeps {
  readonly managementRoute: ManagementRoute;
  readonly configChanges: ConfigChanges;
}

/**
 * The configuration of a member that runs (docs/member-surface.md#changes-of-the-cluster). The replies, which the
 * specification does not show, are those of the real engine's enterprise edition.
 */
export function createConfigRoutes({
  managementRoute,
  configChanges,
}: ConfigEndpointsDeps): readonly Route[] {
  async function reload({ res }: Call): Promise<void> {
    const result = await configChanges.reload();
    replyJson(res, changed('Configuration Reload successfully finished.', result));
  }

  async function update({ res }: Call, [content = '']: readonly string[]): Promise<void> {
    const result = await configChanges.update(content);
    replyJson(res, changed('Configuration Update successfully finished.', result));
  }

  /** With the join off 400, as in the real engine; its body is empty here (docs/member-surface.md#errors). */
  function showMembers({ res }: Call) {
    const { enabled, memberList } = configChanges.join;
    if (!enabled) return replyEmpty(res, 400);
    replyJson(res, JSON.stringify({ status: 'success', 'member-list': memberList }));
  }

  async function changeMembers({ res }: Call, [text = '']: readonly string[]): Promise<void> {
    if (!configChanges.join.enabled) return replyEmpty(res, 400);
    const memberList = membersIn(text);
    await configChanges.setMemberList(memberList);
    const message = configChanges.arePersisted ? `${updated}${persistedNotice}` : updated;
    replyJson(res, JSON.stringify({ status: 'success', message, 'member-list': memberList }));
  }

  const write = { group: 'CLUSTER_WRITE' } as const;
  return [
    managementRoute({ ...write, template: 'rest/config/reload', valueCount: 2, handler: reload }),
    managementRoute({ ...write, template: 'rest/config/upload', valueCount: 3, handler: update }),
    managementRoute({ ...write, template: 'rest/config/update', valueCount: 3, handler: update }),
    { method: 'GET', template: memberListPath, group: 'CLUSTER_READ', handler: showMembers },
    managementRoute({ ...write, template: memberListPath, valueCount: 3, handler: changeMembers }),
  ];
}

const memberListPath = 'rest/config/tcp-ip/member-list';

const updated = 'The member list of TCP-IP join config is updated at run time. ';
const persistedNotice =
  'Dynamic Configuration Persistence is enabled. This member list change will be persisted.';

function changed(done: string, { addedConfigs, ignoredConfigs, outdated }: ConfigChange): string {
  const message = outdated.length === 0 ? done : `${done} ${outdatedNotice(outdated)}`;
  return JSON.stringify({ status: 'success', message, result: { addedConfigs, ignoredConfigs } });
}

/** What is configured and has no effect yet must not read as if it had. */
function outdatedNotice(outdated: ConfigChange['outdated']): string {
  const names = outdated
    .slice(0, mostNamed)
    .map(({ sectionName, configName }) => `${sectionName} ${configName.slice(0, longestNamed)}`);
  const more = outdated.length - names.length;
  return `In use, and with the rules that they were made with until they are empty: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

const mostNamed = 20;
const longestNamed = 200;

const mostMembers = 1000;

/**
 * Addresses as a configuration has them, at runs of `,`, `;` or space, and empty ones as the real engine splits.
 *
 * @throws {OperationFailedError} for what is no address, and for more of them than a cluster has
 */
function membersIn(text: string): readonly string[] {
  const members = text.trim() === '' ? [''] : text.split(/[,; ]+/);
  while (members.length > 1 && members.at(-1) === '') members.pop();
  // Separators alone are an empty list; one before the first member is a member without a name.
  if (members.length === 1 && members[0] === '' && text.trim() !== '') return [];
  if (members.length > mostMembers) throw new OperationFailedError(`more than ${mostMembers} members`);
  if (!members.every((member) => addressForm.test(member))) {
    throw new OperationFailedError('a member is no host, host:port or range of addresses');
  }
  return members;
}

/** A name, an address, or a range as `10.0.0.1-9` or `10.0.0.*`; then a port, if any. */
const addressForm =
  /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._*-]{1,253}|[0-9A-Fa-f]*(?::[0-9A-Fa-f]*){2,8})(?::\d{1,5})?$/;
