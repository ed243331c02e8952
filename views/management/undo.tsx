/** What takes back what has just been done: with script it goes after 30 s, and stands in History from then on. */
import { Form } from '../elements/form.tsx';
import { assetPath } from '../static.ts';
import { useText } from '../texts/elements.tsx';

interface UndoButtonProps {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly label?: string | undefined;
  /** It stands as long as the page does. */
  readonly isForLong?: boolean | undefined;
}

export function UndoButton({ action, hidden, label, isForLong = false }: UndoButtonProps) {
  const t = useText();
  return (
    <div class="undo" data-undo={isForLong ? undefined : ''}>
      <Form action={action} hidden={hidden}>
        <button type="submit" class="button small">
          {label ?? t('frame.undo')}
        </button>
      </Form>
      {!isForLong && <script type="module" src={assetPath('undo.js')} />}
    </div>
  );
}
