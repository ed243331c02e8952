/** Commands to the cluster as a whole: its version, its configuration, its start and end. */
import { dryRunFlag } from '../operations/changes.ts';
import { type Command, flags } from '../runner/command.ts';
import { fields } from '../runner/output.ts';
import { actCommand, reasonIn } from './acts.ts';

/** As the API shows it. */
interface ConfigChangeView {
  readonly message: string | null;
  readonly added: readonly SectionView[];
  readonly ignored: readonly SectionView[];
}
interface LicenceView {
  readonly isLicensed: boolean;
  readonly member: string;
  readonly expiresAt: string | null;
  readonly mostMembers: number | null;
  readonly holder: string | null;
  readonly keyDigest: string | null;
}
interface ConfigPreviewView {
  readonly isCompared: boolean;
  readonly isCut: boolean;
  readonly sections: readonly (SectionView & {
    readonly state: string;
    readonly lines: readonly { readonly change: string; readonly text: string }[];
  })[];
}
interface SectionView {
  readonly sectionName: string;
  readonly configName: string;
}

const onApi = { isOnApi: true, createsStore: true } as const;
const about = 'cluster';

export const clusterActs: readonly Command[] = [
  {
    ...onApi,
    name: 'cluster version',
    summary: 'Raises the version of the cluster, once every member runs the new one.',
    positionals: ['<version>'],
    flags: dryRunFlag,
    asks: ({ positionals: [version = ''] }) => ({
      says: `This raises the version of the cluster to ${version}, and no member of an older one may join again.`,
      name: version,
    }),
    async run(input, { api }) {
      const [version = ''] = input.positionals;
      const isDryRun = input.has('dry-run');
      const { body: view } = await api.call('changeClusterVersion', { body: { version }, isDryRun });
      const text = `The cluster ${isDryRun ? 'would be' : 'is'} of the version ${version}.`;
      return { text, json: view };
    },
  },
  {
    ...onApi,
    name: 'cluster licence',
    summary: 'Shows the licence of the members.',
    async run(_input, { api }) {
      return licenceInWords((await api.call('readMemberLicence')).body as LicenceView);
    },
  },
  {
    ...onApi,
    name: 'cluster set-licence',
    summary: 'Gives the members another licence key, until they are started again.',
    flags: { ...flags({ '--key-file F': 'the file that has it' }), ...dryRunFlag },
    asks: () => ({ says: 'Every member of the cluster goes by the new licence key at once.', name: about }),
    async run(input, { api, readFile }) {
      const key = (await readFile(input.text('key-file')!)).trim();
      const isDryRun = input.has('dry-run');
      const { body } = await api.call('changeMemberLicence', { body: { key }, isDryRun });
      return isDryRun
        ? { text: 'The licence key may be given to the members.', json: null }
        : licenceInWords(body as LicenceView);
    },
  },
  {
    ...onApi,
    name: 'cluster reload',
    summary: 'Has the members read their configuration anew, and add what is new in it.',
    async run(_input, { api }) {
      return inWords((await api.call('reloadMemberConfig')).body as ConfigChangeView);
    },
  },
  {
    ...onApi,
    name: 'cluster config',
    summary: 'Adds to the configuration of the members, in YAML or XML.',
    flags: flags({
      '--file F': 'the file that has it',
      '[--dry-run]': 'show what it would add beside what members were given from here, and send nothing',
      '[--reason R]': 'why it is done, for the audit',
    }),
    details: ['What is added stays until the members are started anew, or is taken away there.'],
    async run(input, { api, readFile }) {
      const config = await readFile(input.text('file')!);
      if (input.has('dry-run')) {
        const { body } = await api.call('previewMemberConfig', { body: { config } });
        return previewInWords(body as ConfigPreviewView);
      }
      const request = { body: { config }, ...reasonIn(input) };
      return inWords((await api.call('updateMemberConfig', request)).body as ConfigChangeView);
    },
  },
  actCommand({
    ...{ name: 'cluster backup', operation: 'startHotBackup', about },
    summary: 'Has the members back up what they persist. A community edition says yes, and does nothing.',
  }),
  actCommand({
    ...{ name: 'cluster interrupt-backup', operation: 'interruptHotBackup', about },
    summary: 'Interrupts that backup.',
  }),
  actCommand({
    ...{ name: 'cluster force-start', operation: 'forceStartCluster', about },
    summary: 'Starts a cluster that cannot recover, without what it has persisted, which is lost.',
    warning: 'This starts the cluster without what it has persisted, which is lost.',
    takesReason: true,
  }),
  actCommand({
    ...{ name: 'cluster partial-start', operation: 'partialStartCluster', about },
    summary: 'Starts a cluster with the members that are there, and what they have persisted.',
    warning: 'This starts the cluster with the members that are there: what only others have is lost.',
    takesReason: true,
  }),
  actCommand({
    ...{ name: 'cluster shutdown', operation: 'shutDownCluster', about },
    summary: 'Shuts every member down. The members say yes before they do.',
    warning: 'This shuts every member of the cluster down.',
    takesReason: true,
  }),
];

const states: Readonly<Record<string, string>> = {
  new: 'would be added',
  same: 'is there as it is',
  different: 'is there, and stays as it is: members pass over what is new in it',
  there: 'is there, and stays as it is; what it says there is not known here',
};
const signs: Readonly<Record<string, string>> = { added: '+', removed: '-', same: ' ' };

function previewInWords(view: ConfigPreviewView) {
  if (!view.isCompared) return { text: 'It is no YAML, and cannot be shown section by section.', json: view };
  const shown = view.sections.map(({ sectionName, configName, state, lines }) => {
    const diff = lines.map(({ change, text }) => `${signs[change]} ${text}`);
    return [`${`${sectionName} ${configName}`.trim()} ${states[state]}.`, ...diff].join('\n');
  });
  const texts = [...shown, ...(view.isCut ? ['There are more lines.'] : [])];
  return { text: texts.join('\n') || 'It has no sections.', json: view };
}

function licenceInWords(view: LicenceView) {
  const { member, expiresAt, mostMembers, holder, keyDigest } = view;
  if (!view.isLicensed) return { text: 'The members have none.', json: view };
  const text = fields({
    'said by': member,
    holder: holder ?? 'not said',
    members: mostMembers === null ? 'not said' : String(mostMembers),
    ends: expiresAt ?? 'not said',
    'SHA-256 of the key': keyDigest ?? 'not said',
  });
  return { text, json: view };
}

function inWords(view: ConfigChangeView) {
  const named = (sections: readonly SectionView[]) =>
    sections.map(({ sectionName, configName }) => `${sectionName} ${configName}`);
  const [added, ignored] = [named(view.added), named(view.ignored)];
  const text = fields({
    added: added.length === 0 ? 'nothing' : added,
    'there already': ignored,
    said: view.message ?? undefined,
  });
  return { text, json: view };
}
