import { Combobox as Base } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

/** Something to choose. */
interface Option {
  readonly id: string;
  readonly label: string;
}

/**
 * A button that opens a list to choose from, with a search field. The caller searches: `options`
 * are the matches of `search`.
 */
export function Combobox<One extends Option>({
  label,
  trigger,
  options,
  selected,
  onSelect,
  search,
  onSearch,
  placeholder,
  empty,
  children,
  footer,
  onOpen,
  isOpenAtFirst = false,
}: {
  /** Name of the search field and of the list. */
  label: string;
  trigger: ReactElement;
  options: readonly One[];
  selected: One;
  onSelect: (option: One) => void;
  search: string;
  onSearch: (search: string) => void;
  placeholder: string;
  /** Shown if nothing matches. */
  empty: string;
  /** Content of an entry; default: its label. */
  children?: (option: One) => ReactNode;
  footer?: ReactNode;
  onOpen?: () => void;
  isOpenAtFirst?: boolean;
}) {
  return (
    <Base.Root<One>
      defaultOpen={isOpenAtFirst}
      items={options}
      filter={null}
      value={selected}
      isItemEqualToValue={(one, other) => one.id === other.id}
      itemToStringLabel={(one) => one.label}
      onValueChange={(chosen) => {
        if (chosen !== null) onSelect(chosen);
      }}
      inputValue={search}
      onInputValueChange={onSearch}
      onOpenChange={(isOpen) => {
        if (isOpen) onOpen?.();
      }}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-place" sideOffset={6} align="start">
          <Base.Popup className="popup combobox" aria-label={label}>
            <Base.Input aria-label={label} placeholder={placeholder} />
            <Base.Empty className="combobox-empty">{empty}</Base.Empty>
            <Base.List className="combobox-list" aria-label={label}>
              {(one: One) => (
                <Base.Item key={one.id} value={one} className="menu-item">
                  {children === undefined ? one.label : children(one)}
                  <Base.ItemIndicator className="menu-mark">
                    <Check aria-hidden="true" />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
            {footer !== undefined && <div className="combobox-footer">{footer}</div>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
