import { TextField } from '../parts/form/form';
import type { Address } from './address';

/** Fields of a postal address. */
export function AddressFields({ address }: { address: Address | null | undefined }) {
  return (
    <fieldset className="fields">
      <legend>Address</legend>
      <TextField name="address.line1" label="Line 1" defaultValue={address?.line1 ?? ''} />
      <TextField name="address.line2" label="Line 2" defaultValue={address?.line2 ?? ''} />
      <TextField
        name="address.postalCode"
        label="Postal code"
        defaultValue={address?.postalCode ?? ''}
      />
      <TextField name="address.city" label="City" defaultValue={address?.city ?? ''} />
      <TextField name="address.state" label="State" defaultValue={address?.state ?? ''} />
      <TextField
        name="address.country"
        label="Country"
        hint="Two-letter code, such as DE."
        maxLength={2}
        defaultValue={address?.country ?? ''}
      />
    </fieldset>
  );
}
