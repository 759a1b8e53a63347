import { ChevronsUpDown } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Choice } from '../text/choice';
import { Field } from './form';

// Loaded after the page: a picker is used after a look at the page.
const Combobox = lazy(async () => ({
  default: (await import('../overlay/combobox')).Combobox<Choice>,
}));

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
  /** Noun of what is chosen, plural: “products”. */
  readonly what: string;
}

/** Field of a form with one of many choices, which are searched. */
export function PickerField({
  name,
  hint,
  initial,
  isOptional = false,
  ...picker
}: PickerProps & {
  readonly name: string;
  readonly hint?: string;
  /** The chosen one at first. */
  readonly initial?: Choice | undefined;
  /** True if the field can be left empty. */
  readonly isOptional?: boolean;
}) {
  const [chosen, choose] = useState<Choice>();
  const selected = chosen ?? initial ?? none;
  return (
    <Field {...{ name, hint }} label={picker.label}>
      {({ name: _name, ...attributes }) => (
        <>
          <input type="hidden" name={name} value={selected.id} />
          <Picker
            {...picker}
            attributes={attributes}
            selected={selected.id === '' && !isOptional ? { id: '', label: 'Choose…' } : selected}
            empty={isOptional ? none : undefined}
            onSelect={choose}
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
    <div className="field">
      <span className="field-name" aria-hidden="true">
        {picker.label}
      </span>
      <Picker
        {...picker}
        attributes={{}}
        selected={selected ?? all}
        empty={hasAll ? all : undefined}
        onSelect={({ id }) => {
          onChange(id);
        }}
      />
    </div>
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
  search,
  onSearch,
  onOpen,
  what,
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
  const offered = empty !== undefined && search === '' ? [empty, ...choices] : choices;
  const button = (isReady: boolean) => (
    <button
      type="button"
      className="picker"
      disabled={!isReady}
      aria-label={`${label}: ${selected.label}`}
      {...attributes}
    >
      <span>{selected.label}</span>
      <ChevronsUpDown aria-hidden="true" />
    </button>
  );
  return (
    <Suspense fallback={button(false)}>
      <Combobox
        label={`Find ${what}`}
        placeholder={`Find ${what}`}
        empty={`No ${what} found`}
        options={offered}
        selected={selected}
        onSelect={(choice) => {
          onSearch('');
          onSelect(choice);
        }}
        search={search}
        onSearch={onSearch}
        onOpen={onOpen}
        trigger={button(true)}
      >
        {({ label: text, detail }) => (
          <span className="picker-choice">
            {text}
            {detail !== undefined && <span className="faint">{detail}</span>}
          </span>
        )}
      </Combobox>
    </Suspense>
  );
}
