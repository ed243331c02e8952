/** What has come of an import: how many, and which lines were left out, with why. */
import { Said, useText } from '../../../texts/elements.tsx';
import { asSentence, numberIn } from '../../../texts/text.ts';
import { Facts, Part } from '../../detail.tsx';
import { Table } from '../../lists/table.tsx';

/** As the admin API has it. */
export interface ImportResult {
  readonly added: number;
  readonly existing: number;
  readonly rejected: number;
  /** What the file has besides. */
  readonly others: number;
  /** Nothing was written. */
  readonly onlyCheck?: boolean;
  /** The first hundred. */
  readonly leftOut: readonly { readonly line: number; readonly reason: string }[];
}

export function ImportCounts({
  added,
  existing,
  rejected,
  others,
  onlyCheck = false,
  leftOut,
}: ImportResult) {
  const t = useText();
  const count = (value: number) => numberIn(t.language, value);
  return (
    <>
      <Facts
        facts={[
          { name: t(onlyCheck ? 'imports.wouldBeAdded' : 'imports.added'), value: count(added) },
          { name: t('imports.existing'), value: count(existing) },
          { name: t('imports.leftOut'), value: count(rejected) },
          ...(others === 0 ? [] : [{ name: t('imports.others'), value: count(others) }]),
        ]}
      />
      {leftOut.length > 0 && (
        <Part
          id="left-out"
          within="result"
          title={t('imports.leftOutLines')}
          about={rejected > leftOut.length ? t('imports.firstOfThem', { n: leftOut.length }) : undefined}
        >
          <Table
            title={t('imports.leftOutLines')}
            columns={[{ title: t('imports.line') }, { title: t('imports.why') }]}
            rows={inOrder(leftOut).map(({ line, reason }, at) => ({
              key: `${line} ${at}`,
              cells: [
                t('imports.lineOf', { line: count(line) }),
                <bdi key="why">
                  <Said>{asSentence(reason)}</Said>
                </bdi>,
              ],
            }))}
          />
        </Part>
      )}
    </>
  );
}

/** They are found in several passes over the file. */
function inOrder(leftOut: ImportResult['leftOut']): ImportResult['leftOut'] {
  return [...leftOut].sort((one, other) => one.line - other.line);
}
