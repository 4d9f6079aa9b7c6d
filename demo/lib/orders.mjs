// An order of runs that favours no arm.

/**
 * One order of the arms per round: random, and balanced: in each block of as many rounds as
 * there are arms, every arm stands once in every place.
 */
export function balancedOrders(arms, rounds, next) {
  const orders = [];
  while (orders.length < rounds) {
    const first = shuffled(arms, next);
    const square = first.map((_, shift) => first.map((_, i) => first[(i + shift) % first.length]));
    orders.push(...shuffled(square, next));
  }
  return orders.slice(0, rounds);
}

/** A copy in random order (Fisher and Yates). */
export function shuffled(values, next) {
  const copy = [...values];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = next() % (last + 1);
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}
