import { Page } from './layout.tsx';

export function SignedOutPage() {
  return (
    <Page title="Signed out">
      <section class="notice">
        <h1>You are signed out</h1>
        <p>Here and at the console. What you signed in to through it ends with it.</p>
        <p>
          <a class="button primary" href="/login">
            Sign in again
          </a>
        </p>
      </section>
    </Page>
  );
}
