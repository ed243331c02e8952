/** What is asked before something is done that disturbs others, or cannot be undone: a page at the address of the act. */

import { Form, PasswordField } from '../elements/form.tsx';
import { Link } from '../elements/link.tsx';
import { renderDocument } from '../layout.tsx';
import { Problem } from '../message.tsx';
import { Text, useText } from '../texts/elements.tsx';
import { Diff, type DiffModel } from './diff.tsx';
import type { Select } from './filters.tsx';
import {
  ErrorList,
  type FieldError,
  OneOfField,
  SecretField,
  SelectField,
  TextField,
} from './forms/fields.tsx';
import { type Crumb, type FrameModel, ManagementPage } from './frame.tsx';
import { type Snippet, Snippets } from './snippets.tsx';

export interface ActText {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
  readonly isRequired?: boolean;
  /** Hidden while it is typed, and not shown again. */
  readonly isSecret?: boolean;
}

export interface ActModel {
  readonly frame: FrameModel;
  readonly path: readonly Crumb[];
  /** Verb and noun: "Remove grace". */
  readonly title: string;
  /** Who and what is hit, a sentence each. */
  readonly effects: readonly string[];
  /** What would change. */
  readonly diff?: DiffModel | undefined;
  /** The same in other ways. */
  readonly ways?: readonly Snippet[] | undefined;
  /** Why none of them is a file of configuration. */
  readonly whyNoFile?: string | undefined;
  /** They were asked for: of what is chosen and typed. */
  readonly waysAsked: boolean;
  /** They can be asked for, since they depend on what is chosen and typed. */
  readonly offersWays: boolean;
  /** Why it cannot be done now. */
  readonly stops?: string | undefined;
  /** What has to be typed, so that nobody does it by mistake. */
  readonly typedName?: string | undefined;
  /** Who asks has not signed in of late (RFC 9470). */
  readonly confirmation?: 'password' | 'elsewhere' | undefined;
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly button: string;
  readonly isDangerous: boolean;
  readonly cancelHref: string;
  readonly errors: readonly FieldError[];
  /** What is to be chosen. */
  readonly selects: readonly Select[];
  /** What may be typed. */
  readonly texts: readonly ActText[];
}

export function renderAct(model: ActModel): string {
  return renderDocument(<ActPage {...model} />, model.frame.presentation);
}

function ActPage(model: ActModel) {
  const { frame, path, title, effects, diff, stops, errors, ways = [] } = model;
  return (
    <ManagementPage frame={frame} path={path} title={title} hasProblem={errors.length > 0}>
      <div class="narrow-work" data-question="">
        <ErrorList errors={errors} isAct />
        {stops !== undefined && <Problem id="stops">{stops}</Problem>}
        <ul class="effects">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        {diff && <Diff {...diff} />}
        <Go {...model} />
        {stops === undefined && ways.length > 0 && (
          <Ways ways={ways} whyNoFile={model.whyNoFile} isOpen={model.waysAsked} />
        )}
      </div>
    </ManagementPage>
  );
}

/** The form, or the way back where it cannot be sent. */
function Go(model: ActModel) {
  const t = useText();
  if (model.stops !== undefined) return <Back {...model} />;
  if (model.confirmation !== 'elsewhere') return <ActForm {...model} />;
  return (
    <>
      <p>{t('frame.needsSignWithinLast')}</p>
      <Back {...model} />
    </>
  );
}

interface WaysProps {
  readonly ways: readonly Snippet[];
  readonly whyNoFile: string | undefined;
  readonly isOpen: boolean;
}

function Ways({ ways, whyNoFile, isOpen }: WaysProps) {
  const t = useText();
  return (
    <details open={isOpen}>
      <summary>{t('frame.doCommand')}</summary>
      {isOpen && <p class="muted">{t('frame.nothingChangedYetEach')}</p>}
      <Snippets snippets={ways} />
      {whyNoFile !== undefined && <p class="muted">{whyNoFile}</p>}
    </details>
  );
}

function Back({ cancelHref }: ActModel) {
  const t = useText();
  return (
    <div class="actions">
      <Link href={cancelHref} class="button">
        {t('frame.back')}
      </Link>
    </div>
  );
}

function ActForm(model: ActModel) {
  const t = useText();
  const { action, hidden, typedName, confirmation, button, isDangerous, cancelHref, errors, selects, texts } =
    model;
  const errorOf = (name: string) => errors.find(({ field }) => field === name)?.text;
  return (
    <Form action={action} hidden={hidden}>
      {selects.map(({ areSentences = false, ...select }) =>
        areSentences ? (
          <OneOfField key={select.name} {...select} />
        ) : (
          <SelectField key={select.name} {...select} />
        ),
      )}
      {texts.map(({ value = '', isRequired = false, isSecret = false, ...text }) => {
        const control = { ...text, isOptional: !isRequired, error: errorOf(text.name) };
        return isSecret ? (
          <SecretField key={text.name} {...control} />
        ) : (
          <TextField key={text.name} {...control} value={value} />
        );
      })}
      {typedName !== undefined && (
        <TextField
          name="typed_name"
          label={<Text id="frame.typeGo" gaps={{ typedName: <bdi class="code typed">{typedName}</bdi> }} />}
          value=""
          error={errorOf('typed_name')}
        />
      )}
      {confirmation === 'password' && (
        <PasswordField
          name="current_password"
          label={t('common.currentPassword')}
          autocomplete="current-password"
          hint={t('frame.confirmItsYouYour')}
          problemId={errorOf('current_password') && 'current_password-error'}
        />
      )}
      {confirmation === 'password' && errorOf('current_password') && (
        <p class="field-error" id="current_password-error">
          {errorOf('current_password')}
        </p>
      )}
      <div class="actions">
        <Link href={cancelHref} class="button">
          {t('frame.leaveAsIs')}
        </Link>
        <button type="submit" class={`button ${isDangerous ? 'danger' : 'primary'}`}>
          {button}
        </button>
        {model.offersWays && (
          <button type="submit" class="button" name="show" value="ways">
            {t('frame.doCommand')}
          </button>
        )}
      </div>
    </Form>
  );
}
