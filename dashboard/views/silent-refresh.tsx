/** Nobody sees this page: it is inside a hidden frame, and its script tells the page around how it went. */
export function SilentRefreshPage({ outcome }: { readonly outcome: 'idle' | 'renewed' | 'refused' }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Renewal of the sign-in</title>
        <link rel="icon" href="/static/mark.svg" />
        <script src="/static/silent-refresh.js" type="module" />
      </head>
      <body data-outcome={outcome} />
    </html>
  );
}
