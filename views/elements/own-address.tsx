import { Text } from '../texts/elements.tsx';
import { Link } from './link.tsx';

export interface OwnAddressProps {
  /** Of the console. */
  readonly address: string;
  /** This page, there. */
  readonly href?: string | undefined;
}

/** Forms are taken at one address only; behind some proxies the browser is there although the request names another. */
export function OwnAddress({ address, href = address }: OwnAddressProps) {
  const link = (
    <Link href={href} class="code">
      {address}
    </Link>
  );
  return (
    <p>
      <Text id="ownAddress.where" gaps={{ address: link }} />
    </p>
  );
}
