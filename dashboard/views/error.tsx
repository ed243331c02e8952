import { Page } from './layout.tsx';

interface ErrorPageProps {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
}

export function ErrorPage({ status, title, detail, requestId }: ErrorPageProps) {
  return (
    <Page title={title}>
      <section class="notice">
        <h1>{title}</h1>
        <p>{detail}</p>
        <p>
          <a class="button primary" href="/">
            {status === 400 || status === 503 ? 'Try again' : 'To the overview'}
          </a>
        </p>
        <p class="muted small">
          {status} · request <code>{requestId}</code>
        </p>
      </section>
    </Page>
  );
}
