import { useEffect, useRef, useState } from 'react';
import { TextField } from '../../parts/form/form';
import { FormValues } from '../../parts/form/form-values';

const usualQuantity = '150';

/**
 * Price of a quantity of one's choice, computed while the form is filled in. A flat fee has no
 * units, and so no preview.
 */
export function PricePreview({
  textOf,
}: {
  /** Preview of a quantity; undefined while the price is incomplete. */
  textOf: (values: FormValues, quantity: string) => string | undefined;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const latest = useRef(textOf);
  const [text, setText] = useState<string>();
  const [isFlat, setFlat] = useState(true);
  useEffect(() => {
    latest.current = textOf;
  });
  useEffect(() => {
    const form = ref.current?.closest('form');
    if (form === null || form === undefined) return undefined;
    let frame = 0;
    // In the next frame, because an input may change the fields of the form.
    const update = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const values = new FormValues(new FormData(form));
        setFlat(values.text('type') === 'FLAT');
        setText(latest.current(values, values.text('previewQuantity').trim()));
      });
    };
    update();
    form.addEventListener('input', update);
    return () => {
      cancelAnimationFrame(frame);
      form.removeEventListener('input', update);
    };
  }, []);
  return (
    <div ref={ref} className="price-preview" hidden={isFlat}>
      <TextField
        name="previewQuantity"
        label="Quantity for the preview"
        inputMode="numeric"
        autoComplete="off"
        defaultValue={usualQuantity}
      />
      <output aria-live="polite">{text ?? 'Complete the price to see a preview.'}</output>
    </div>
  );
}
