/** Both interfaces, call by call, as their descriptions in OpenAPI have them. */

import { renderDocument } from '../../layout.tsx';
import { Said, useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { Table } from '../lists/table.tsx';

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
    /** What it is about is not said in the language of the page. */
    readonly isEnglish: boolean;
    readonly calls: readonly ShownInterfaceCall[];
  }[];
}

export interface ShownInterfaceCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Nobody has said it in the language of the page. */
  readonly isEnglish: boolean;
  /** What a token for it has to have; undefined where the description names none. */
  readonly scope?: string | undefined;
}

export interface ApiModel {
  readonly frame: FrameModel;
  readonly interfaces: readonly ShownInterface[];
}

export const apiHref = '/settings/api';

export function renderApi(model: ApiModel): string {
  return renderDocument(<Api {...model} />, model.frame.presentation);
}

function Api({ frame, interfaces }: ApiModel) {
  const t = useText();
  return (
    <ManagementPage frame={frame} title={t('pages.api')}>
      <p class="lede">{t('api.whatProgramsMayCall')}</p>
      {interfaces.length === 0 && <div class="empty">{t('api.installationBuiltWithoutIts')}</div>}
      {interfaces.map((one) => (
        <Interface key={one.id} {...one} />
      ))}
    </ManagementPage>
  );
}

function Interface({ id, title, version, about, href, groups }: ShownInterface) {
  const t = useText();
  return (
    <>
      <Part
        id={id}
        title={`${title}, ${version}`}
        about={about}
        acts={
          <>
            <a class="button primary" href={`${apiHref}/${id}`}>
              {t('api.explorer')}
            </a>
            <a class="button" href={href} download>
              {t('api.openAPIDocument')}
            </a>
          </>
        }
      >
        <p class="link-row">
          {groups.map(({ name }) => (
            <>
              <a key={name} href={`#${id}-${name}`}>
                {name}
              </a>{' '}
            </>
          ))}
        </p>
      </Part>
      {groups.map(({ name, about: meaning, isEnglish, calls }) => (
        <Part
          key={name}
          id={`${id}-${name}`}
          title={name}
          within={id}
          about={meaning && (isEnglish ? <Said>{meaning}</Said> : meaning)}
        >
          <Table
            title={name}
            columns={[
              { title: t('common.call') },
              { title: t('common.whatItDoes') },
              ...(calls.some(({ scope }) => scope) ? [{ title: t('api.scope') }] : []),
            ]}
            rows={calls.map((call) => ({ key: `${call.method} ${call.path}`, cells: cellsOf(call) }))}
          />
        </Part>
      ))}
    </>
  );
}

function cellsOf({ method, path, summary, isEnglish, scope }: ShownInterfaceCall) {
  return [
    <code key="call">
      {method} {path}
    </code>,
    isEnglish ? <Said key="summary">{summary}</Said> : summary,
    ...(scope === undefined ? [] : [<code key="scope">{scope}</code>]),
  ];
}
