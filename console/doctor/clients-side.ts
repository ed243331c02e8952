/** What registered clients are let off. */
import { about, type Finding } from './finding.ts';

/** @param unbound  ids of clients that may ask for a code with neither PKCE nor a nonce */
export function checkClients(unbound: readonly string[]): readonly Finding[] {
  return unbound.map((id) =>
    about(`client ${id}`).warning(
      'It may sign people in with neither PKCE nor a nonce: somebody who gets hold of a code can use it at this client.',
      `When it can do either: npx console client update ${id} --pkce nonce`,
    ),
  );
}
