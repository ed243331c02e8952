/** Calls summed by client, structure, member or status, and the refused ones by what was asked: each figure leads to its calls. */
import { useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { Table } from '../lists/table.tsx';
import { Named, Narrow, Status, shortly } from './call-cells.tsx';
import { type Narrowing, narrowed } from './traffic-address.ts';

export interface CallGroup {
  readonly id: string | null;
  readonly calls: number;
  readonly denied: number;
  readonly failed: number;
  readonly meanMs: number | null;
  readonly mostMs: number | null;
}

export interface Denials {
  readonly client: string | null;
  readonly structure: string | null;
  readonly status: number;
  readonly calls: number;
}

interface GroupsProps {
  /** As the filter says it now. */
  readonly asked: Narrowing;
  readonly id: string;
  readonly title: string;
  /** In the address. */
  readonly name: 'client' | 'structure' | 'member' | 'status';
  readonly groups: readonly CallGroup[];
}

export function Groups({ id: part, title, name, groups, asked }: GroupsProps) {
  const t = useText();
  return (
    <Part id={part} title={title}>
      <Table
        title={title}
        columns={[
          { title: t('common.name') },
          { title: t('common.calls'), isNumber: true },
          { title: t('common.refused'), isNumber: true },
          { title: t('common.failed'), isNumber: true },
          { title: t('traffic.mean'), isNumber: true },
        ]}
        rows={groups.map(({ id, calls, denied, failed, meanMs }) => ({
          key: String(id),
          cells: [
            <Named key="name" name={name} id={id} />,
            <Narrow
              key="calls"
              to={id === null ? undefined : narrowed(asked, { [name]: id })}
              count={calls}
            />,
            <Narrow key="denied" to={narrowed(asked, withStatus(name, id, '4xx'))} count={denied} />,
            <Narrow key="failed" to={narrowed(asked, withStatus(name, id, '5xx'))} count={failed} />,
            meanMs === null ? '–' : shortly(meanMs, t),
          ],
        }))}
      />
    </Part>
  );
}

function withStatus(name: string, id: string | null, status: string): Narrowing {
  if (name === 'status') return { status: id ?? status };
  return { ...(id !== null && { [name]: id }), status };
}

export function DeniedMost({
  denials,
  asked,
}: {
  readonly denials: readonly Denials[];
  readonly asked: Narrowing;
}) {
  const t = useText();
  if (denials.length === 0) return null;
  return (
    <Part id="denials" title={t('traffic.refusedMost')}>
      <Table
        title={t('traffic.refusedMost')}
        columns={[
          { title: t('traffic.client') },
          { title: t('traffic.structure') },
          { title: t('traffic.status') },
          { title: t('common.calls'), isNumber: true },
        ]}
        rows={denials.map(({ client, structure, status, calls }) => ({
          key: JSON.stringify([client, structure, status]),
          cells: [
            <Named key="client" name="client" id={client} />,
            <Named key="structure" name="structure" id={structure} />,
            <Status key="status" status={status} />,
            <Narrow
              key="calls"
              to={narrowed(asked, {
                ...(client !== null && { client }),
                ...(structure !== null && { structure }),
                status: String(status),
              })}
              count={calls}
            />,
          ],
        }))}
      />
    </Part>
  );
}
