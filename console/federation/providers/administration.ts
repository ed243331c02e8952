/** Providers as the API and the commands administer them: what is said in a body; answers without secrets. */

import { ProblemError, problems } from '../../../platform/errors.ts';
import type { DryCredentials } from '../ldap/dry-run.ts';
import type { ProviderUses } from '../provider-uses.ts';
import { sameCertificate } from '../saml/certificates.ts';
import { type DryRunWorld, runDrySignIn } from './dry-sign-in.ts';
import { type FieldWithDefault, secretsAlone, withoutFields } from './forgotten-fields.ts';
import type { ProviderInputDeps } from './input.ts';
import { createInputDeps, type InputWorld } from './input-deps.ts';
import type { ChangedProvider, NewProviderInput, ProviderInput, ReplacedProvider } from './input-schema.ts';
import type { NewProvider } from './provider-edit.ts';
import { readProviderInput } from './reading.ts';
import { type ListedProvider, type ProviderRegistration, rolesGivenBy } from './registration.ts';
import type { Provider } from './schema.ts';
import { viewOfProvider } from './view.ts';

export interface ProviderAdministrationDeps extends InputWorld, DryRunWorld {
  readonly registration: ProviderRegistration;
  readonly uses: Pick<ProviderUses, 'of' | 'read'>;
}

export type ProviderAdministration = ReturnType<typeof createProviderAdministration>;
export type ShownProvider = Awaited<ReturnType<ProviderAdministration['show']>>;

/** What a change depends on besides. */
export interface ProviderConditions {
  /** The version that the record has to be of; undefined: whichever. */
  readonly ifMatch?: string | undefined;
  /** Of the roles that its rules give, before and after. @throws {ProblemError} `escalation` */
  readonly mayGive: (roles: readonly string[]) => void;
}

/** A change that says nothing of versions is made on what is there, however often that changes meanwhile. */
const mostTries = 5;

export function createProviderAdministration({ registration, uses, ...world }: ProviderAdministrationDeps) {
  const deps = createInputDeps(world);

  return {
    list: async () => Promise.all((await registration.list()).map(shown)),
    show,
    /** @throws {ProblemError} `already_exists`, and as the registration */
    async add(
      { id, kind, enabled = true, ...said }: NewProviderInput,
      { mayGive }: Pick<ProviderConditions, 'mayGive'>,
    ) {
      const reading = observedReading();
      const provider = await readProviderInput({ id, kind }, said, reading.deps);
      mayGive(rolesGivenBy(provider as Provider));
      await registration.add({ ...provider, enabled });
      if (reading.hasReadMetadata()) await uses.read(id, 'metadata');
      return show(id);
    },
    /** @throws {ProblemError} `not_found`, `precondition_failed`, and as the registration */
    update: (id: string, { renewKeys = false, ...patch }: ChangedProvider, conditions: ProviderConditions) =>
      change(id, conditions, (before, deps) => {
        const gone = Object.entries(patch).flatMap(([name, value]) => (value === null ? [name] : []));
        const said = Object.entries(patch).filter(([, value]) => value !== null);
        const kept = withoutFields(before, gone as FieldWithDefault[]);
        const readDeps = { ...deps, renewsKeys: renewKeys };
        return readProviderInput(before, Object.fromEntries(said) as ProviderInput, readDeps, kept);
      }),
    /**
     * Its secrets stay where none are given; everything else is as it is said.
     *
     * @throws {ProblemError} as `update`; `conflict` for another kind, or when it would be switched
     */
    replace: (id: string, { kind, enabled, ...said }: ReplacedProvider, conditions: ProviderConditions) =>
      change(id, conditions, (before, deps) => {
        checkStays(before, kind, enabled);
        return readProviderInput(before, replacing(said, before), deps, secretsAlone(before));
      }),
    setEnabled: (id: string, isEnabled: boolean, conditions: ProviderConditions) =>
      onVersion(id, conditions, async (listed, version) => {
        const before = await shown(listed);
        return { before, after: await shown(await registration.setEnabled(id, isEnabled, version)) };
      }),
    /** @returns what it was, and how many accounts went with it */
    remove: (id: string, withAccounts: boolean, conditions: ProviderConditions) =>
      onVersion(id, conditions, async (listed, ifMatch) => {
        const removed = await shown(listed);
        return { removed, accountsRemoved: await registration.remove(id, { withAccounts, ifMatch }) };
      }),
    /** @param who  of a directory: somebody to sign in. Nothing is created, here or there */
    async test(id: string, who: DryCredentials | undefined) {
      return runDrySignIn(readable(await registration.find(id)), who, world);
    },
  };

  /** Metadata that were read anew are as old as this moment, even where they have not changed. */
  function observedReading() {
    let hasRead = false;
    const readMetadata: ProviderInputDeps['readMetadata'] = async (...asked) => {
      const metadata = await deps.readMetadata(...asked);
      hasRead = true;
      return metadata;
    };
    return { deps: { ...deps, readMetadata }, hasReadMetadata: () => hasRead };
  }

  async function show(id: string) {
    return shown(await registration.find(id));
  }

  async function shown(listed: ListedProvider) {
    const { accounts, ...view } = viewOfProvider(listed, world.url);
    const { updatedAt, owner, hold, createdAt = 0 } = listed.provider ?? {};
    const use = await uses.of(listed.id, createdAt);
    return {
      view: { ...view, ...use, linkedUsers: accounts, updatedAt, owner, hold },
      version: listed.version,
    };
  }

  /** What is read of the input takes time, since metadata may be fetched: it is stored on the version it was read for. */
  function change(
    id: string,
    conditions: ProviderConditions,
    after: (before: Provider, deps: ProviderInputDeps) => Promise<NewProvider>,
  ) {
    return onVersion(id, conditions, async (listed, version) => {
      const reading = observedReading();
      const next = await after(readable(listed), reading.deps);
      conditions.mayGive(rolesGivenBy(next as Provider));
      await registration.update(id, () => next, version);
      if (reading.hasReadMetadata()) await uses.read(id, 'metadata');
      return { before: await shown(listed), after: await show(id) };
    });
  }

  async function onVersion<T>(
    id: string,
    { ifMatch, mayGive }: ProviderConditions,
    work: (listed: ListedProvider, version: string) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const listed = await registration.find(id);
      // Of one that cannot be read nobody knows what it gives.
      mayGive(listed.provider ? rolesGivenBy(listed.provider) : ['Admin']);
      try {
        return await work(listed, ifMatch ?? listed.version);
      } catch (error) {
        if (ifMatch !== undefined || tries === mostTries || !hasMoved(error)) throw error;
      }
    }
  }
}

function hasMoved(error: unknown): boolean {
  return error instanceof ProblemError && error.problem === problems.preconditionFailed;
}

/** @throws {ProblemError} `conflict` */
function readable({ id, provider, problem = '' }: ListedProvider): Provider {
  if (provider) return provider;
  throw new ProblemError(problems.conflict, `The record of ${id} cannot be read: ${problem}.`);
}

/** @throws {ProblemError} `conflict` */
function checkStays(before: Provider, kind: string, enabled: boolean | undefined): void {
  if (kind !== before.kind) {
    throw new ProblemError(
      problems.conflict,
      `This is a provider of kind ${before.kind}: remove it, or add the other under another id.`,
    );
  }
  if (enabled === undefined || enabled === before.enabled) return;
  throw new ProblemError(
    problems.conflict,
    'Its people are let in by enable, and kept out by disable: a replacement leaves it as it is.',
  );
}

/** Metadata of the address that is known already stay pinned: they are read anew by a change that names it. */
function replacing(said: Omit<ReplacedProvider, 'kind' | 'enabled'>, before: Provider): ProviderInput {
  if (before.kind !== 'saml') return said;
  const asked = { ...said, signRequests: said.signRequests ?? false };
  const input = { ...asked, encryptedAssertions: said.encryptedAssertions ?? false };
  const { metadataUrl, metadataCertificate: pem, ...others } = input;
  const isPinned =
    metadataUrl !== undefined &&
    metadataUrl === before.saml.metadataUrl &&
    sameCertificate(pem, before.saml.metadataCertificate);
  return isPinned ? others : input;
}
