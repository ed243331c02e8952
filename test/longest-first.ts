/** The order of a run: files that take long begin while there is other work beside them, and none is left alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than twenty seconds on two cores, the longest first. One that is not named here comes after them. */
const longest = [
  'member/persistence',
  'member/persistence-state',
  'peers/identity-keycloak',
  'peers/engine-differences',
  'federation/idp-commands',
  'e2e/people',
  'federation/logout-browser',
  'oidc/keys',
  'commands/client',
  'console/overload',
  'federation/dry-run',
  'licence/updates',
  'package/package',
  'proxy/console-away',
  'doctor/other-side',
  'peers/engine-failover',
  'peers/engine-rolling-restart',
  'member-proxy/taken-items',
  'dashboard/browser',
  'accounts/sign-in',
  'accounts/guessing',
  'console/main',
  'commands/channel',
  'doctor/pair',
  'storage/durability',
  'peers/apache',
  'peers/identity-saml',
  'oidc/back-channel-logout',
  'licence/command',
  'commands/running',
  'proxy/revocation',
  'peers/spring',
  'peers/engine-management',
  'peers/engine-releases',
  'commands/backup',
  'accounts/sessions',
  'proxy/workers',
  'console/still-disk',
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
