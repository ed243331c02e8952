/** Asks the run for what its files share (`test/once/set-up.ts`). */

/** Names the address at which the run answers. */
export const addressVariable = 'TEST_SHARED_ADDRESS';

export interface Shared {
  readonly browser: { readonly endpoint?: string; readonly reason?: string };
  readonly 'data-directory': { readonly path: string };
  readonly keycloak: { readonly origin: string };
  /** The file of `npm pack`, and a folder into which it is unpacked and installed. */
  readonly package: { readonly file: string; readonly folder: string };
}

/** @throws {Error} with the reason when it could not be started */
export async function askShared<Name extends keyof Shared>(name: Name): Promise<Shared[Name]> {
  const response = await fetch(`${process.env[addressVariable]}/${name}`);
  if (!response.ok) throw new Error(`there is no ${name} to share: ${await response.text()}`);
  return (await response.json()) as Shared[Name];
}
