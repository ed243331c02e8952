/** Denials of one caller and call that findings do not name for some days: what says so, and what begins and ends it. */
import { Form } from '../../elements/form.tsx';
import { Time } from '../../elements/time.tsx';
import { Text, useText } from '../../texts/elements.tsx';

/** As the admin API has it. */
export interface ShownMute {
  readonly id: string;
  readonly until: string;
  readonly by: { readonly kind: string; readonly id: string };
}

export const muteDays = 7;

interface MuteFormProps {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

export function MuteButton({ action, hidden }: MuteFormProps) {
  const t = useText();
  return (
    <Form action={action} hidden={{ ...hidden, do: 'mute' }}>
      <button type="submit" class="button">
        {t('decision.mute', { n: muteDays })}
      </button>
    </Form>
  );
}

/** @param mayChange  whether the reader may end it. @param isAlone  nothing before it says what this is */
export function Muted({
  muted,
  mayChange,
  isAlone = false,
  action,
  hidden,
}: MuteFormProps & { readonly muted: ShownMute; readonly mayChange: boolean; readonly isAlone?: boolean }) {
  const t = useText();
  const gaps = { until: <Time at={new Date(muted.until)} />, by: <bdi>{muted.by.id}</bdi> };
  return (
    <>
      <Text id={isAlone ? 'decision.isMutedUntil' : 'decision.mutedUntil'} gaps={gaps} />
      {mayChange && (
        <Form action={action} hidden={{ ...hidden, do: 'unmute' }}>
          <button type="submit" class="button small">
            {t('decision.unmute')}
          </button>
        </Form>
      )}
    </>
  );
}
