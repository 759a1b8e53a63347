import { Dialog } from '@base-ui/react/dialog';
import { Fragment, useId } from 'react';
import { Button } from '../../parts/element/buttons';
import { goKeys } from './keys';
import { useSingleKeys } from './single-keys';

type Shortcut = readonly [keys: readonly string[], effect: string];

const shortcuts: readonly Shortcut[] = [
  [['Ctrl', 'K'], 'Search, and run an action'],
  [['/'], 'Go to the filter of the list'],
  [['↑', '↓'], 'Go to the previous or next row of a list'],
  [['Enter'], 'Open the row'],
  [['?'], 'Show this list'],
  ...Object.entries(goKeys).map(([key, { label }]): Shortcut => [['G', key.toUpperCase()], label]),
];

/** List of the shortcuts. Those of single keys can be turned off. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const [isOn, choose] = useSingleKeys();
  const id = useId();
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Keyboard shortcuts</Dialog.Title>
          <dl className="shortcuts">
            {shortcuts.map(([keys, effect]) => (
              <div key={keys.join(' ')}>
                <dt>{effect}</dt>
                <dd>
                  {keys.map((key, index) => (
                    <Fragment key={key}>
                      {index > 0 && ' '}
                      <kbd>{key}</kbd>
                    </Fragment>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          <p className="check">
            <input
              id={id}
              type="checkbox"
              checked={isOn}
              onChange={(event) => choose(event.target.checked)}
            />{' '}
            <label htmlFor={id}>Single-key shortcuts, such as / and g c</label>
          </p>
          <div className="actions">
            <Button tone="main" onClick={onClose}>
              Done
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
