import { type ReactNode, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../element/buttons';
import { toFirstPages, withParameters } from '../text/list-address';
import { fromLocalField, toLocalField } from '../text/local-time-field';
import { utcText } from '../text/time-text';

/** Filters of a list, kept in the URL so that links include them. */
export interface FilterState<Name extends string> {
  /** Empty for an unused filter. */
  readonly values: Readonly<Record<Name, string>>;
  readonly set: (name: Name, value: string) => void;
  /** Properties of the filter's field. */
  readonly field: (name: Name) => { value: string; onChange: (value: string) => void };
  readonly clear: () => void;
  readonly isFiltered: boolean;
}

export function useFilters<Name extends string>(names: readonly Name[]): FilterState<Name> {
  const [parameters, setParameters] = useSearchParams();
  const entries = names.map((name) => [name, parameters.get(name) ?? ''] as const);
  const values = Object.fromEntries(entries) as Record<Name, string>;
  const change = (changes: Readonly<Record<string, string>>) => {
    setParameters((before) => toFirstPages(withParameters(before, changes)));
  };
  const set = (name: Name, value: string) => {
    if (value !== values[name]) change({ [name]: value });
  };
  return {
    values,
    set,
    field: (name) => ({
      value: values[name],
      onChange: (value) => {
        set(name, value);
      },
    }),
    clear: () => {
      change(Object.fromEntries(names.map((name) => [name, ''])));
    },
    isFiltered: entries.some(([, value]) => value !== ''),
  };
}

/** Filters of a list, in a row if there is room. */
export function Filters({
  state: { isFiltered, clear },
  children,
}: {
  state: Pick<FilterState<string>, 'isFiltered' | 'clear'>;
  children: ReactNode;
}) {
  return (
    <div className="filters" role="search">
      {children}
      {isFiltered && (
        <Button tone="plain" onClick={clear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Filter with a few values. */
export function ChoiceFilter({
  label,
  value,
  onChange,
  choices,
  hasAll = true,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Values and labels. */
  choices: readonly (readonly [string, string])[];
  /** True if the filter offers “All”, the empty value. */
  hasAll?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        {hasAll && <option value="">All</option>}
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Filter for the last days. */
export function DaysFilter({
  label = 'Period',
  value,
  onChange,
  days,
}: {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  days: readonly number[];
}) {
  const choices = days.map((count) => [String(count), `Last ${String(count)} days`] as const);
  return <ChoiceFilter hasAll={false} {...{ label, value, onChange, choices }} />;
}

/** Filter for a time, typed in the reader's time zone; in UTC on hover. */
export function TimeFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  /** Time in UTC, such as `2026-11-21T14:03:00.000Z`; empty for an unused filter. */
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        title={value === '' ? undefined : utcText(value)}
        value={toLocalField(value)}
        onChange={(event) => {
          onChange(fromLocalField(event.target.value));
        }}
      />
    </div>
  );
}

/** Text filter, applied on Enter or when the field loses focus. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const [typing, setTyping] = useState<string>();
  const done = () => {
    if (typing !== undefined) onChange(typing.trim());
    setTyping(undefined);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typing ?? value}
        onChange={(event) => {
          setTyping(event.target.value);
        }}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === 'Enter') done();
        }}
      />
    </div>
  );
}

/** Filter whose control says its name itself: the visible name is for the eye alone. */
export function NamedFilter({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="field">
      <span className="field-name" aria-hidden="true">
        {name}
      </span>
      {children}
    </div>
  );
}
