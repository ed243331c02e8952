/** The order of a run: files that take long begin while there is other work beside them, and none is left alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than twenty seconds on two cores, the longest first. One that is not named here comes after them. */
const longest = [
  'peers/identity-keycloak',
  'member/persistence',
  'member/persistence-state',
  'federation/logout-browser',
  'e2e/people',
  'e2e/sigkill',
  'oidc/keys',
  'peers/engine-failover',
  'oidc/back-channel-logout',
  'e2e/single-sign-on',
  'federation/idp-commands',
  'storage/durability',
  'peers/engine-rolling-restart',
  'member-proxy/taken-items',
  'console/overload',
  'licence/updates',
  'accounts/guessing',
  'doctor/pair',
  'proxy/console-away',
  'accounts/sign-in',
  'dashboard/browser',
  'console/still-disk',
  'accounts/user-commands',
  'commands/usage',
  'commands/client',
  'peers/engine-reading',
  'commands/document',
  'peers/identity-saml',
  'peers/engine-differences',
  'licence/command',
  'commands/logouts',
  'peers/engine-framing',
  'peers/spring',
  'peers/identity-openid-connector',
  'console/main',
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
