import type { Column } from '../table/data-table';
import { ConfirmButton } from '../overlay/dialog';
import { ChoiceFilter } from '../form/filters';
import { StatusBadge } from '../element/values';

/** Badge of a resource that can be activated and deactivated. */
export function ActiveBadge({ active }: { active: boolean }) {
  return <StatusBadge status={active ? 'ACTIVE' : 'INACTIVE'} />;
}

/** Column with that badge. */
export const activeColumn: Column<{ readonly active: boolean }> = {
  title: 'Status',
  text: ({ active }) => (active ? 'Active' : 'Inactive'),
  cell: ({ active }) => <ActiveBadge active={active} />,
};

/** Filter for active, inactive or all resources. */
export function ActiveFilter({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <ChoiceFilter
      label="Status"
      value={value}
      onChange={onChange}
      choices={[
        ['true', 'Active'],
        ['false', 'Inactive'],
      ]}
    />
  );
}

/** Deactivates or activates a resource after a confirmation. */
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
  /** Consequence of the deactivation. */
  ending: string;
  /** Consequence of the activation. */
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
