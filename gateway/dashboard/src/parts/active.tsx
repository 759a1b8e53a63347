import type { Column } from './data-table';
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
