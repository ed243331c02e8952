/** What registered clients are let off. */
import { about, type Finding } from './finding.ts';

/** Ids of clients: see `console/clients/client-excess.ts`. */
export interface Excess {
  readonly unaskedClients: readonly string[];
  readonly unboundClients: readonly string[];
  readonly unlimitedClients: readonly string[];
  readonly unrotatedClients: readonly string[];
  /** How many there was no time for. */
  readonly uninspectedClients: number;
}

export function checkClients({
  unaskedClients,
  unboundClients,
  unlimitedClients,
  unrotatedClients,
  uninspectedClients,
}: Excess): readonly Finding[] {
  const unasked = unaskedClients.map((id) =>
    about(`client ${id}`).warning(
      'It is there because nothing says where the dashboard runs: whoever listens at its address may sign people in.',
      'Say where it runs with SVC_MC_APP_ADDRESSES; none, if there is no dashboard.',
    ),
  );
  const unlimited = unlimitedClients.map((id) =>
    about(`client ${id}`).warning(
      'It gets every role of its users: what they can do here and at the members, it can.',
      `Give it a ceiling: npx console client update ${id} --max-role Viewer`,
    ),
  );
  const unrotated = unrotatedClients.map((id) =>
    about(`client ${id}`).warning(
      'It has had the same secret for more than a year.',
      `npx console client rotate-secret ${id}; the old one ends five minutes after the new one was first used.`,
    ),
  );
  const uninspected =
    uninspectedClients === 0
      ? []
      : [
          about('clients').warning(
            `There are too many of them for one look: ${uninspectedClients} were not looked at.`,
            'Go through them in pieces: npx console client list --json, or GET /api/v1/clients.',
          ),
        ];
  return [...unasked, ...checkBinding(unboundClients), ...unlimited, ...unrotated, ...uninspected];
}

function checkBinding(unbound: readonly string[]): readonly Finding[] {
  return unbound.map((id) =>
    about(`client ${id}`).warning(
      'It may sign people in with neither PKCE nor a nonce: somebody who gets hold of a code can use it at this client.',
      `When it can do either: npx console client update ${id} --pkce nonce`,
    ),
  );
}
