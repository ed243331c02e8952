/** `/api/v1/operations/licence`: the licence key that members of an enterprise edition have. The key itself they never tell. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { changesBetween } from '../../operations/changes.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import { type ClusterNeeds, memberProblems, objectIn } from './member-calls.ts';

const path = '/rest/license';
const unreported = 'null: the member does not say.';

const memberLicence = view({
  isLicensed: z.boolean().meta({ description: 'False in a community edition.' }),
  member: z.string().meta({ description: 'That was asked.', example: '10.0.0.1:5701' }),
  expiresAt: z.iso.datetime().nullable().meta({ description: unreported }),
  mostMembers: z
    .number()
    .int()
    .nullable()
    .meta({ description: `Of the cluster; ${unreported}` }),
  holder: z
    .string()
    .nullable()
    .meta({ description: `The company; ${unreported}` }),
  keyDigest: z
    .string()
    .nullable()
    .meta({ description: `SHA-256 of the key, in base64, as the member has it; ${unreported}` }),
}).meta({ id: 'MemberLicence' });

type MemberLicence = z.infer<typeof memberLicence>;

export const memberLicenceOperations: readonly Operation<ClusterNeeds>[] = [
  operation({
    id: 'readMemberLicence',
    method: 'GET',
    path: '/operations/licence',
    summary: 'Shows the licence that the members have. A community edition has none.',
    access: 'read',
    answer: memberLicence,
    problems: memberProblems,
    async run(_call, needs: ClusterNeeds) {
      return { body: await readLicence(needs) };
    },
  }),
  operation({
    id: 'changeMemberLicence',
    method: 'POST',
    path: '/operations/licence',
    summary: 'Gives the members another licence key, until they are started again.',
    description: 'A community edition takes none: 409.',
    access: 'write',
    isDangerous: true,
    event: 'cluster.licence_changed',
    hasVersion: false,
    problems: memberProblems,
    body: z.strictObject({
      key: z
        .string()
        .regex(/^[^\p{Cc}]{1,1000}$/u, 'it is one line of 1 to 1,000 characters')
        .meta({
          writeOnly: true,
          format: 'password',
          description: 'Never shown again.',
          example: 'Some Company#10Nodes#0aB1cD2eF3gH4iJ5kL6m',
        }),
    }),
    answer: memberLicence,
    async run({ body: { key }, isDryRun }, needs: ClusterNeeds) {
      const before = await readLicence(needs);
      if (isDryRun) return { body: before };
      const reply = await needs.askMember({ method: 'POST', path, positionalValues: [key] });
      if (reply.status === 500) throw keyRejected(reply.member);
      const after = licenceIn(objectIn(reply), reply.member);
      if (!after.isLicensed) throw takesNone(reply.member);
      const changes = changesBetween({ key: before.keyDigest }, { key: after.keyDigest });
      return { body: after, target: reply.member, ...(changes ? { changes } : { isUnchanged: true }) };
    },
  }),
];

/** @throws {ProblemError} `member_rejected`, `bad_gateway` */
async function readLicence({ askMember }: ClusterNeeds): Promise<MemberLicence> {
  const reply = await askMember({ method: 'GET', path });
  return licenceIn(reply.status === 404 ? {} : objectIn(reply), reply.member);
}

function keyRejected(member: string): ProblemError {
  return new ProblemError(problems.memberRejected, `The member ${member} does not take this key.`, {
    members: { member },
  });
}

function takesNone(member: string): ProblemError {
  return new ProblemError(
    problems.memberRejected,
    `The member ${member} says yes, and has no licence: a community edition takes none.`,
    { members: { member } },
  );
}

/** As the engine says it (docs/member-surface.md). */
function licenceIn({ licenseInfo }: Readonly<Record<string, unknown>>, member: string): MemberLicence {
  const info = isObject(licenseInfo) ? licenseInfo : {};
  const { expiryDate, maxNodeCount, companyName, keyHash } = info;
  const time = typeof expiryDate === 'number' ? new Date(expiryDate) : undefined;
  return {
    isLicensed: isObject(licenseInfo),
    member,
    expiresAt: time === undefined || Number.isNaN(time.getTime()) ? null : time.toISOString(),
    mostMembers: Number.isSafeInteger(maxNodeCount) ? (maxNodeCount as number) : null,
    holder: textIn(companyName),
    keyDigest: textIn(keyHash),
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
