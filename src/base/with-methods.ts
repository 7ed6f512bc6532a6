/** The same object with some of its methods replaced; the others are still called on the object itself. */
export function withMethods<T extends object>(inner: T, methods: Partial<T>): T {
  return new Proxy(inner, {
    get(target, key) {
      if (key in methods) return methods[key as keyof T];
      const value: unknown = target[key as keyof T];
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
