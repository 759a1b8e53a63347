import type { Column } from './data-table';
import { ConfirmButton } from './dialog';
import { ChoiceFilter } from './filters';
import { StatusBadge } from './values';

/** Whether something may be used by who is new. */
export function ActiveBadge({ active }: { active: boolean }) {
  return <StatusBadge status={active ? 'ACTIVE' : 'INACTIVE'} />;
}

/** The column of it. */
export const activeColumn: Column<{ readonly active: boolean }> = {
  title: 'State',
  text: ({ active }) => (active ? 'active' : 'inactive'),
  cell: ({ active }) => <ActiveBadge active={active} />,
};

/** Lists what is active, what is not, or all. */
export function ActiveFilter({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <ChoiceFilter
      label="State"
      value={value}
      onChange={onChange}
      choices={[
        ['true', 'Active'],
        ['false', 'Inactive'],
      ]}
    />
  );
}

/** Ends what is active, or takes it up again, after a second look at what that means. */
export function ActivationButton({
  active,
  what,
  refusal,
  onChange,
  ending,
  beginning,
}: {
  active: boolean;
  /** As in “Deactivate this product?”. */
  what: string;
  refusal: string | undefined;
  onChange: (change: { active: boolean }) => Promise<unknown>;
  /** What will happen when it is active no more. */
  ending: string;
  /** What will happen when it is active again. */
  beginning: string;
}) {
  const label = active ? 'Deactivate' : 'Activate';
  return (
    <ConfirmButton
      label={label}
      title={`${label} ${what}?`}
      tone={active ? 'danger' : 'main'}
      refusal={refusal}
      onConfirm={() => onChange({ active: !active })}
    >
      <p>{active ? ending : beginning}</p>
    </ConfirmButton>
  );
}
