/** The order of a run: files that take long begin while there is other work beside them, and none is left alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than twenty seconds on two cores, the longest first. One that is not named here comes after them. */
const longest = [
  'peers/identity-keycloak',
  'member/persistence',
  'member/persistence-state',
  'e2e/sigkill',
  'oidc/keys',
  'package/package',
  'e2e/journeys/journeys-firefox',
  'peers/engine-failover',
  'pages/members-hanging',
  'oidc/back-channel-logout',
  'e2e/people',
  'e2e/journeys/journeys',
  'console/workers-faults',
  'e2e/single-sign-on',
  'federation/logout-browser',
  'federation/idp-commands',
  'peers/engine-rolling-restart',
  'console/overload',
  'commands/document',
  'commands/client',
  'console/configuration-directory',
  'peers/schemathesis',
  'licence/updates',
  'member-proxy/taken-items',
  'commands/client-uses',
  'peers/api-clients',
  'accounts/guessing',
  'commands/backup',
  'proxy/console-away',
  'storage/take-over',
  'admin-api/bad-input',
  'storage/durability',
  'peers/engine-reading',
  'doctor/pair',
  'commands/login',
  'console/still-disk',
  'accounts/sign-in',
  'peers/spring',
  'console/main',
  'admin-api/repeated-calls',
  'bulk/export',
  'commands/operations',
  'doctor/other-side',
  'peers/identity-saml',
  'dashboard/browser',
  'licence/command',
  'peers/engine-framing',
  'commands/channel',
  'accounts/user-commands',
  'peers/engine-through-proxy',
  'peers/engine-releases',
  'peers/apache',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .map((file) => ({ file, order: orderOf(file) }))
      .sort((a, b) => a.order - b.order)
      .map(({ file }) => file);
  }
}

/** A process takes the next file as long as that is of its project: those that want one of their own come first. */
function orderOf({ moduleId, project }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.includes(`/test/${name}.test.`));
  return (project.config.isolate ? 0 : 2 * longest.length) + (rank < 0 ? longest.length : rank);
}
