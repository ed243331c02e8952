/** One interface call by call, in Swagger UI, which tries calls as the reader. */

import { renderDocument } from '../../layout.tsx';
import { assetPath } from '../../static.ts';
import { useText } from '../../texts/elements.tsx';
import { type FrameModel, ManagementPage } from '../frame.tsx';
import { apiHref } from './api.tsx';

export interface ExplorerModel {
  readonly frame: FrameModel;
  readonly title: string;
  /** Of the description. */
  readonly href: string;
  readonly tried: TriedCalls;
  /** By which a call proves that it comes from this page. */
  readonly csrf: string;
}

/** As the reader: all calls, or those that read through the console, where programs bring a token. */
export type TriedCalls = 'all' | 'reads';

export function explorerHref(id: string): string {
  return `${apiHref}/${id}`;
}

export function renderExplorer(model: ExplorerModel): string {
  return renderDocument(<Explorer {...model} />, model.frame.presentation);
}

function Explorer({ frame, title, href, tried, csrf }: ExplorerModel) {
  const t = useText();
  return (
    <ManagementPage frame={frame} title={title} path={[{ title: t('pages.api'), href: apiHref }]}>
      <link rel="stylesheet" href={assetPath('explorer.css')} />
      <script type="module" src={assetPath('explorer.js')} />
      <p class="lede">{t(tried === 'all' ? 'api.triedAsYou' : 'api.readsTriedAsYou')}</p>
      <noscript>
        <p class="message">{t('api.explorerNeedsScript')}</p>
      </noscript>
      <div
        id="explorer"
        // The library speaks no other language.
        lang="en"
        data-description={href}
        data-csrf={csrf}
        data-calls={tried}
      />
    </ManagementPage>
  );
}
