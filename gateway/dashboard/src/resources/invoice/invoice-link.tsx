import { useResource } from '../../api/queries';
import { NamedLink } from '../../parts/element/named-link';
import { type Invoice, invoiceName } from './invoice';

/** Link to an invoice by its number. */
export function InvoiceLink({ id }: { id: string }) {
  const { data, error } = useResource<Invoice>(`/v1/invoices/${id}`);
  return (
    <NamedLink href={`/invoices/${id}`} id={id} name={data && invoiceName(data)} error={error} />
  );
}
