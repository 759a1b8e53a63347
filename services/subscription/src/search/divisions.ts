/** Which words of a text name the customer of a subscription, and which its product. */
export interface Division {
  readonly customer: readonly string[];
  readonly product: readonly string[];
}

/** All ways to read a text as a customer, a product, or one of them followed by the other. */
export function divisionsOf(words: readonly string[]): Division[] {
  const inner = words.slice(1).flatMap((_word, index) => {
    const [before, after] = [words.slice(0, index + 1), words.slice(index + 1)];
    return [
      { customer: before, product: after },
      { customer: after, product: before },
    ];
  });
  return [{ customer: words, product: [] }, { customer: [], product: words }, ...inner];
}
