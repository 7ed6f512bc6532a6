/** The catalogue that came with the page, in the shape the server would answer. */
import { formatCount } from '../../src/base/quantities.ts';
import { BUNDLED_LEAKS } from '../../src/catalogue/bundled.ts';
import { rangeText } from '../../src/catalogue/render.ts';
import type { CatalogueView } from '../../src/model/watch.ts';

export function bundledCatalogue(): CatalogueView {
  const confirmed = BUNDLED_LEAKS.filter(({ status }) => status === 'confirmed');
  return {
    schema: 'oakum.catalogue/v1',
    sentence: `${formatCount(confirmed.length)} known leaks.`,
    leaks: confirmed.map(leak => ({
      id: leak.id,
      title: leak.title,
      component: leak.component,
      grade: leak.signatures.some(({ evidence }) => evidence === 'seen') ? 'seen' : 'from-fix',
      affected: leak.affected.map(rangeText).join('; ') || 'not recorded',
      fixedIn: leak.fixedIn,
      references: leak.refs,
      summary: leak.trigger,
      targets: [],
    })),
  };
}
