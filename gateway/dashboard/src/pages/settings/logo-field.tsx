import { Button } from '../../parts/element/buttons';
import { Field } from '../../parts/form/form';
import type { Seller } from '../../resources/seller';
import type { LogoChange } from './seller-values';

/** Image of the seller: the stored one, another file, or none. */
export function LogoField({
  stored,
  change,
  onChange,
}: {
  stored: Seller['logo'];
  change: LogoChange;
  onChange: (change: LogoChange) => void;
}) {
  const isRemoved = change === null || (change === undefined && stored === null);
  return (
    <>
      <Field name="logo" label="Logo" hint="PNG or JPEG, at most 128 KiB and 1600 × 1600 pixels.">
        {(attributes) => (
          <>
            {stored !== null && change === undefined && (
              <img className="logo" src={`/logos/${stored.sha256}`} alt="Current logo" />
            )}
            <input
              {...attributes}
              type="file"
              accept="image/png,image/jpeg"
              onChange={(event) => {
                const file = event.target.files?.[0];
                if (file === undefined) onChange(undefined);
                else void dataUrlOf(file).then(onChange);
              }}
            />
          </>
        )}
      </Field>
      {!isRemoved && stored !== null && (
        <div>
          <Button onClick={() => onChange(null)}>Remove logo</Button>
        </div>
      )}
      {change === null && <p className="faint">The logo is removed when you save.</p>}
    </>
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      resolve(reader.result as string);
    });
    reader.addEventListener('error', () => {
      reject(reader.error ?? new Error('The file could not be read'));
    });
    reader.readAsDataURL(file);
  });
}
