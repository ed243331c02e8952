/** Both interfaces, call by call, as their descriptions in OpenAPI have them. */
import { renderDocument } from '../../layout.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { Table } from '../list.tsx';

export interface ShownInterface {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** In one sentence. */
  readonly about: string;
  /** The description itself. */
  readonly href: string;
  /** By object, or by endpoint group. */
  readonly groups: readonly {
    readonly name: string;
    readonly about?: string | undefined;
    readonly calls: readonly ShownInterfaceCall[];
  }[];
}

export interface ShownInterfaceCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** What a token for it has to have; undefined where the description names none. */
  readonly scope?: string | undefined;
}

export interface ApiModel {
  readonly frame: FrameModel;
  readonly interfaces: readonly ShownInterface[];
}

export const apiHref = '/settings/api';

export function renderApi({ frame, interfaces }: ApiModel): string {
  return renderDocument(
    <ManagementPage frame={frame} title="API">
      <p class="lede">
        What programs may call: the console itself, and the members behind it. Tokens for both come from
        /oauth2/token.
      </p>
      {interfaces.length === 0 && (
        <div class="empty">This installation was built without its descriptions.</div>
      )}
      {interfaces.map((one) => (
        <Interface key={one.id} {...one} />
      ))}
    </ManagementPage>,
  );
}

function Interface({ id, title, version, about, href, groups }: ShownInterface) {
  return (
    <>
      <Part
        id={id}
        title={`${title}, ${version}`}
        about={about}
        acts={
          <a class="button" href={href} download>
            OpenAPI document
          </a>
        }
      >
        <p>
          {groups.map(({ name }) => (
            <>
              <a key={name} href={`#${id}-${name}`}>
                {name}
              </a>{' '}
            </>
          ))}
        </p>
      </Part>
      {groups.map(({ name, about: meaning, calls }) => (
        <Part key={name} id={`${id}-${name}`} title={`${name} (${title})`} about={meaning}>
          <Table
            title={name}
            columns={[
              { title: 'Call' },
              { title: 'What it does' },
              ...(calls.some(({ scope }) => scope) ? [{ title: 'Scope' }] : []),
            ]}
            rows={calls.map((call) => ({ key: `${call.method} ${call.path}`, cells: cellsOf(call) }))}
          />
        </Part>
      ))}
    </>
  );
}

function cellsOf({ method, path, summary, scope }: ShownInterfaceCall) {
  return [
    <code key="call">
      {method} {path}
    </code>,
    summary,
    ...(scope === undefined ? [] : [<code key="scope">{scope}</code>]),
  ];
}
