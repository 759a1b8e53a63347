import {
  createContext,
  type SubmitEvent,
  type InputHTMLAttributes,
  type ReactNode,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { ApiProblem, type FieldProblems, fieldsProblem, UnknownOutcome } from '../../api/problem';
import { Button, CopyButton } from '../element/buttons';
import { RetryNotice } from '../element/notices';
import { EarlierProblem } from './earlier-problem';
import {
  FormValues,
  groupProblems,
  incompleteProblems,
  otherProblems,
  problemsOf,
} from './form-values';

const groupAttribute = 'data-group';

const firstField = 'input:not([type=hidden], :disabled), select, textarea';

/** Problems that a form shows at its fields. */
interface PlacedProblems {
  readonly fields: FieldProblems;
  /** Names of the fields of the form when it was refused. */
  readonly names: readonly string[];
}

const noProblems: PlacedProblems = { fields: {}, names: [] };

const ProblemsContext = createContext<PlacedProblems>(noProblems);

interface ShownProblem {
  readonly error: Error;
  readonly placed: PlacedProblems;
  /** Problems of fields that the form does not have. */
  readonly others: readonly string[];
}

/** Form that shows errors of the server at their fields. */
export function Form({
  submit,
  onSubmit,
  onCancel,
  dismiss = 'Cancel',
  tone = 'main',
  refusal,
  children,
}: {
  /** Label of the submit button. */
  submit: string;
  onSubmit: (values: FormValues) => Promise<unknown>;
  onCancel?: () => void;
  /** Label of the button that closes the form. */
  dismiss?: string;
  tone?: 'main' | 'danger';
  refusal?: string | undefined;
  children: ReactNode;
}) {
  const [problem, setProblem] = useState<ShownProblem>();
  const [isBusy, setBusy] = useState(false);
  const ref = useRef<HTMLFormElement>(null);
  const earlier = use(EarlierProblem);
  useEffect(() => {
    if (earlier === undefined || ref.current === null) return;
    setProblem(problemIn(ref.current, earlier));
    focusProblem(ref.current, fieldsOf(earlier));
  }, [earlier]);
  // A form that appears after its dialog, because it was loaded or is the next step, takes over the
  // focus. The body has the focus after the button of the step before is removed.
  useEffect(() => {
    const dialog = ref.current?.closest<HTMLElement>('.dialog');
    if (dialog === null || dialog === undefined) return;
    const { activeElement, body } = document;
    if (activeElement !== dialog && activeElement !== body) return;
    (ref.current?.querySelector<HTMLElement>(firstField) ?? dialog).focus();
  }, []);
  const run = async (form: HTMLFormElement) => {
    setBusy(true);
    try {
      await onSubmit(valuesOf(form));
      setProblem(undefined);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error('Something went wrong');
      setProblem(problemIn(form, error));
      focusProblem(form, fieldsOf(error));
    } finally {
      setBusy(false);
    }
  };
  const submitted = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isBusy) void run(event.currentTarget);
  };
  const shown = isBusy ? undefined : problem;
  const isUnknown = problem?.error instanceof UnknownOutcome;
  return (
    <form ref={ref} onSubmit={submitted} noValidate>
      <ProblemsContext value={problem?.placed ?? noProblems}>
        {shown !== undefined && !isUnknown && <FormProblem {...shown} />}
        {children}
      </ProblemsContext>
      {/* Concerns no field, so it is shown at the button that was just pressed. */}
      {shown !== undefined && isUnknown && <FormProblem {...shown} />}
      {isBusy && <RetryNotice />}
      <div className="actions">
        <Button type="submit" tone={tone} isBusy={isBusy} refusal={refusal}>
          {submit}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{dismiss}</Button>}
      </div>
    </form>
  );
}

function FormProblem({ error, others }: ShownProblem) {
  const requestId = error instanceof ApiProblem ? error.faultId : undefined;
  return (
    <div className="notice bad" role="alert">
      <p>
        <strong>{error.message}.</strong> {error instanceof ApiProblem && error.advice}{' '}
        {others.join('; ')}
      </p>
      {requestId !== undefined && (
        <p className="faint">
          Request <code>{requestId}</code> <CopyButton text={requestId} what="request id" />
        </p>
      )}
    </div>
  );
}

/**
 * Problems of a field by the name that it had when the form was refused: a row of a list takes its
 * problems along if a row above it is removed.
 */
export function useFieldProblems(name: string): readonly string[] {
  const placed = use(ProblemsContext);
  const [refused, setRefused] = useState({ placed, name });
  if (refused.placed === placed) return problemsOf(placed.fields, refused.name);
  setRefused({ placed, name });
  return problemsOf(placed.fields, name);
}

export interface FieldLabel {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** Single-line text field. */
export function TextField({
  name,
  label,
  hint,
  ...input
}: FieldLabel & Omit<InputHTMLAttributes<HTMLInputElement>, 'name'>) {
  return (
    <Field {...{ name, label, hint }}>
      {(attributes) => <input type="text" {...input} {...attributes} />}
    </Field>
  );
}

/** Text field in a cell of a table, named by its row and column. */
export function CellField({
  name,
  label,
  ...input
}: FieldLabel & Omit<InputHTMLAttributes<HTMLInputElement>, 'name'>) {
  const id = useId();
  const problems = useFieldProblems(name);
  const isWrong = problems.length > 0;
  return (
    <>
      <input
        type="text"
        {...input}
        name={name}
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? id : undefined}
      />
      {isWrong && (
        <span id={id} className="problem">
          {problems.join(', ')}
        </span>
      )}
    </>
  );
}

/** Problems of a group of fields that no field of the group shows. */
export function FieldProblem({ name }: { name: string }) {
  const { fields, names } = use(ProblemsContext);
  const problems = groupProblems(fields, name, names);
  const group = { [groupAttribute]: name };
  if (problems.length === 0) return <span {...group} hidden />;
  return (
    <p {...group} className="problem">
      {problems.join(', ')}
    </p>
  );
}

/** Multi-line text field. */
export function TextAreaField({
  name,
  label,
  hint,
  rows = 4,
  defaultValue,
}: FieldLabel & { readonly rows?: number; readonly defaultValue?: string }) {
  return (
    <Field {...{ name, label, hint }}>
      {(attributes) => <textarea rows={rows} defaultValue={defaultValue} {...attributes} />}
    </Field>
  );
}

/** Select field. */
export function SelectField({
  name,
  label,
  hint,
  choices,
  ...select
}: FieldLabel & {
  /** Values and labels. */
  readonly choices: readonly (readonly [string, string])[];
  readonly defaultValue?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}) {
  const { onChange, ...rest } = select;
  return (
    <Field {...{ name, label, hint }}>
      {(attributes) => (
        <select
          {...rest}
          {...(onChange !== undefined && {
            onChange: (event) => {
              onChange(event.target.value);
            },
          })}
          {...attributes}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface FieldAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** Field with its label, hint and problems. */
export function Field({
  name,
  label,
  hint,
  problem,
  children,
}: Omit<FieldLabel, 'hint'> & {
  readonly hint: string | undefined;
  /** Known before the form is sent; shown in place of those of the server. */
  readonly problem?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ReactNode;
}) {
  const id = useId();
  const refused = useFieldProblems(name);
  const problems = problem === undefined ? refused : [problem];
  const isWrong = problems.length > 0;
  const described = [hint !== undefined && `${id}-hint`, isWrong && `${id}-problem`];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': isWrong,
        'aria-describedby': described.filter((one) => one !== false).join(' ') || undefined,
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="faint">
          {hint}
        </span>
      )}
      {isWrong && (
        <span id={`${id}-problem`} className="problem">
          {problems.join(', ')}
        </span>
      )}
    </div>
  );
}

/** Values of a form. Throws if one is incomplete. */
function valuesOf(form: HTMLFormElement): FormValues {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement);
  const fields = incompleteProblems(inputs);
  if (Object.keys(fields).length > 0) throw fieldsProblem(fields);
  return new FormValues(new FormData(form));
}

function problemIn(form: HTMLFormElement, error: Error): ShownProblem {
  const [fields, names] = [fieldsOf(error), namesIn(form)];
  const others = otherProblems(fields, [...names, ...groupsIn(form)]);
  return { error, placed: { fields, names }, others };
}

function fieldsOf(error: Error): FieldProblems {
  return error instanceof ApiProblem ? error.details.fields : {};
}

function namesIn(form: HTMLFormElement): readonly string[] {
  return [...new FormData(form).keys(), ...[...form.elements].map(nameOf)];
}

/** Names of the groups that show problems of their own. */
function groupsIn(form: HTMLFormElement): readonly string[] {
  const groups = [...form.querySelectorAll(`[${groupAttribute}]`)];
  return groups.map((group) => group.getAttribute(groupAttribute) ?? '');
}

function focusProblem(form: HTMLFormElement, fields: FieldProblems): void {
  const wrong = [...form.elements].find(
    (element) => nameOf(element) !== '' && problemsOf(fields, nameOf(element)).length > 0,
  );
  if (wrong instanceof HTMLElement) wrong.focus();
}

function nameOf(element: Element): string {
  return element.getAttribute('name') ?? '';
}
