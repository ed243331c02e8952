import { Link } from './link.tsx';

export interface OwnAddressProps {
  /** Of the console. */
  readonly address: string;
  /** This page, there. */
  readonly href?: string | undefined;
}

/** Forms are taken at one address only; behind some proxies the browser is there although the request names another. */
export function OwnAddress({ address, href = address }: OwnAddressProps) {
  return (
    <p>
      This console is at{' '}
      <Link href={href} class="code">
        {address}
      </Link>
      . If your browser shows another address, open it there: this form works nowhere else.
    </p>
  );
}
