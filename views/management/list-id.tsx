/**
 * An id in a list, cut in its middle where it is long: its beginning and its end tell ids apart, and a row stays a row. All of it
 * is in the page in one piece, so that it is read out, found, copied and printed whole; what stands for its end is drawn by CSS.
 */
interface ListIdProps {
  /** An id, or what it is of and an id: `session ses_4f…`. */
  readonly children: string;
  readonly class?: string | undefined;
}

const endLength = 6;
/** Made by programs, and longer than what is shown of it. An address of a person is a name. */
const long = /^(.* )?([\w.:/+=~-]{25,})$/s;

export function ListId({ children, class: className }: ListIdProps) {
  const [, before = '', id] = long.exec(children) ?? [];
  if (id === undefined) return <bdi class={className}>{children}</bdi>;
  return (
    <bdi class={className}>
      {before}
      <span class="cut-id" title={id} data-end={id.slice(-endLength)}>
        <span>{id}</span>
      </span>
    </bdi>
  );
}
