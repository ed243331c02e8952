import { roleMeanings } from '../accounts/roles.ts';

/** Every scope that a person can allow, in words for the consent page. */
export const scopeMeanings: ReadonlyMap<string, string> = new Map([
  ['openid', 'Know that it is you who signs in.'],
  ['profile', 'See your user name, and which of your roles go along.'],
  ['email', 'See your e-mail address.'],
  ['offline_access', 'Stay signed in while you are away, until your session here ends.'],
  ['app:Viewer', `Act as a Viewer. ${roleMeanings.Viewer}`],
  ['app:MetricsViewer', `Act as a MetricsViewer. ${roleMeanings.MetricsViewer}`],
]);
