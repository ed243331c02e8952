/** A part of a page that could not be read, in its place; the others are as they are. */
import { Said, Text } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';

/** Why, in English, as the operation says it. */
export interface NotRead {
  readonly notRead: string;
}

/** What goes on while a page is open, by the id of its element: HTML, or why it cannot be had now. */
export type LiveParts = Readonly<Record<string, string | NotRead>>;

export function isNotRead(part: object | string | undefined): part is NotRead {
  return typeof part === 'object' && 'notRead' in part;
}

interface NotReadPartProps extends NotRead {
  /** Of the part. */
  readonly id: string;
  readonly title: string;
}

export function NotReadPart({ id, title, notRead }: NotReadPartProps) {
  return (
    <Part id={id} title={title}>
      <p class="muted">
        <NotReadText notRead={notRead} />
      </p>
    </Part>
  );
}

export function NotReadText({ notRead }: NotRead) {
  return <Text id="frame.notRead" gaps={{ why: <Said>{notRead}</Said> }} />;
}
