import { Combobox as Base } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { Button } from '../element/buttons';

/** Something to choose. */
interface Option {
  readonly id: string;
  readonly label: string;
}

/** Search that failed. */
interface Failure {
  readonly text: string;
  readonly onRetry: (() => void) | undefined;
}

/** Content of the popup of a combobox. */
interface PopupContent<One> {
  /** Name of the search field and of the list. */
  readonly label: string;
  readonly placeholder: string;
  /** Shown if nothing matches. */
  readonly empty: string;
  /** Shown in place of `empty`. */
  readonly failure?: Failure;
  /** Content of an entry; default: its label. */
  readonly children?: (option: One) => ReactNode;
  readonly footer?: ReactNode;
}

/**
 * A button that opens a list to choose from, with a search field. The caller searches: `options`
 * are the matches of `search`.
 */
export function Combobox<One extends Option>({
  trigger,
  options,
  selected,
  onSelect,
  search,
  onSearch,
  onOpen,
  isOpenAtFirst = false,
  ...content
}: PopupContent<One> & {
  trigger: ReactElement;
  options: readonly One[];
  selected: One;
  onSelect: (option: One) => void;
  search: string;
  onSearch: (search: string) => void;
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
          <ComboboxPopup {...content} />
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function ComboboxPopup<One extends Option>({
  label,
  placeholder,
  empty,
  failure,
  children,
  footer,
}: PopupContent<One>) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Base.Popup className="popup combobox" aria-label={label}>
      <Base.Input ref={field} aria-label={label} placeholder={placeholder} />
      <Base.Empty className="combobox-empty">
        {failure === undefined ? empty : undefined}
      </Base.Empty>
      {failure !== undefined && (
        <FailedSearch
          text={failure.text}
          onRetry={() => {
            // The button disappears, and the field has the text that is searched.
            field.current?.focus();
            failure.onRetry?.();
          }}
        />
      )}
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
  );
}

function FailedSearch({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <div className="combobox-failure">
      <span role="alert" className="problem">
        {text}
      </span>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
