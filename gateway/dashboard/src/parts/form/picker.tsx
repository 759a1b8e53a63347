import { ChevronsUpDown, LoaderCircle } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import type { SearchProgress } from '../../api/search';
import { FailureText } from '../element/notices';
import { useLoadedOnUse } from '../overlay/loaded-on-use';
import { type Choice, noChoiceText } from '../text/choice';
import { NamedFilter } from './filters';
import { Field } from './form';

const loadCombobox = async () => (await import('../overlay/combobox')).Combobox<Choice>;

/** Search of a picker, and whether its choices are needed. */
export function usePickerSearch() {
  const [search, onSearch] = useState('');
  const [isOpened, setOpened] = useState(false);
  return { isOpened, searched: { search, onSearch, onOpen: () => setOpened(true) } };
}

const none: Choice = { id: '', label: 'None' };
const all: Choice = { id: '', label: 'All' };

interface PickerProps {
  readonly label: string;
  /** Matches of `search`. */
  readonly choices: readonly Choice[];
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Called before the choices are needed. */
  readonly onOpen: () => void;
  /** State of the search; choices that were loaded earlier need none. */
  readonly progress?: SearchProgress;
  /** Searches again after a failure. */
  readonly onRetry?: () => void;
  /** Noun of what is chosen, plural: “products”. */
  readonly what: string;
  /** Searched fields, if the noun does not name them: “name, email or ID”. */
  readonly foundBy?: string;
}

/** Field of a form with one of many choices, which are searched. */
export function PickerField({
  name,
  hint,
  initial,
  isOptional = false,
  problem,
  onChoose,
  ...picker
}: PickerProps & {
  readonly name: string;
  readonly hint?: string;
  /** The chosen one at first. */
  readonly initial?: Choice | undefined;
  /** True if the field can be left empty. */
  readonly isOptional?: boolean;
  /** Reason why the choice cannot stay. */
  readonly problem?: string | undefined;
  readonly onChoose?: (choice: Choice) => void;
}) {
  const [chosen, choose] = useState<Choice>();
  const selected = chosen ?? initial ?? none;
  return (
    <Field {...{ name, hint, problem }} label={picker.label}>
      {({ name: _name, ...attributes }) => (
        <>
          <input type="hidden" name={name} value={selected.id} />
          <Picker
            {...picker}
            attributes={attributes}
            selected={selected.id === '' && !isOptional ? { id: '', label: 'Choose…' } : selected}
            empty={isOptional ? none : undefined}
            onSelect={(choice) => {
              choose(choice);
              onChoose?.(choice);
            }}
          />
        </>
      )}
    </Field>
  );
}

/** Filter of a list with one of many choices, which are searched. */
export function PickerFilter({
  selected,
  onChange,
  hasAll = true,
  ...picker
}: PickerProps & {
  /** Undefined for all. */
  readonly selected: Choice | undefined;
  readonly onChange: (id: string) => void;
  /** True if the filter offers “All”. */
  readonly hasAll?: boolean;
}) {
  return (
    <NamedFilter name={picker.label}>
      <Picker
        {...picker}
        attributes={{}}
        selected={selected ?? all}
        empty={hasAll ? all : undefined}
        onSelect={({ id }) => {
          onChange(id);
        }}
      />
    </NamedFilter>
  );
}

/** Button that searches and reports each choice. */
export function PickerButton({
  onChoose,
  ...picker
}: PickerProps & { readonly onChoose: (choice: Choice) => void }) {
  return (
    <Picker
      {...picker}
      attributes={{ 'aria-label': picker.label }}
      selected={{ id: '', label: picker.label }}
      empty={undefined}
      onSelect={onChoose}
    />
  );
}

function Picker({
  label,
  choices,
  progress = 'DONE',
  onRetry,
  search,
  onSearch,
  onOpen,
  what,
  foundBy,
  attributes,
  selected,
  empty,
  onSelect,
}: PickerProps & {
  readonly attributes: object;
  readonly selected: Choice;
  /** The choice of nothing, offered without a search. */
  readonly empty: Choice | undefined;
  readonly onSelect: (choice: Choice) => void;
}) {
  const { Part: Combobox, opener, failure } = useLoadedOnUse(loadCombobox, onOpen);
  const name = `${label}: ${selected.label}`;
  const text = noChoiceText(what, progress);
  const find = foundBy === undefined ? `Find ${what}` : `Find ${what} by ${foundBy}`;
  if (Combobox === undefined) {
    return (
      <>
        <Trigger aria-label={name} {...attributes} {...opener}>
          {selected.label}
        </Trigger>
        <FailureText text={failure} />
      </>
    );
  }
  return (
    <Combobox
      isOpenAtFirst
      label={find}
      placeholder={find}
      empty={text}
      {...(progress === 'FAILED' && { failure: { text, onRetry } })}
      options={empty !== undefined && search === '' ? [empty, ...choices] : choices}
      selected={selected}
      onSelect={(choice) => {
        onSearch('');
        onSelect(choice);
      }}
      search={search}
      onSearch={onSearch}
      onOpen={onOpen}
      trigger={
        <Trigger aria-label={name} {...attributes}>
          {selected.label}
        </Trigger>
      }
    >
      {({ label: choice, detail }) => (
        <span className="picker-choice">
          {choice}
          {detail !== undefined && <span className="faint">{detail}</span>}
        </span>
      )}
    </Combobox>
  );
}

/** Button that shows what is chosen and opens the list. */
function Trigger({
  isLoading = false,
  children,
  ...properties
}: ComponentProps<'button'> & { readonly isLoading?: boolean }) {
  return (
    <button
      type="button"
      role="combobox"
      aria-haspopup="dialog"
      {...properties}
      className="picker"
      aria-busy={isLoading}
    >
      <span>{children}</span>
      {isLoading ? (
        <LoaderCircle className="spinner" aria-hidden="true" />
      ) : (
        <ChevronsUpDown aria-hidden="true" />
      )}
    </button>
  );
}
