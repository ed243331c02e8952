/** The first cell of a row: what people see of a thing, leading to it, with its id where that is another. */
interface NameProps {
  readonly id: string;
  readonly displayName: string | null;
  readonly href: string;
}

export function NameCell({ id, displayName, href }: NameProps) {
  return (
    <>
      <a href={href}>
        <bdi>{displayName ?? id}</bdi>
      </a>
      {displayName !== null && (
        <>
          {' '}
          <bdi class="muted">{id}</bdi>
        </>
      )}
    </>
  );
}
