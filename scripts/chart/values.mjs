// Reads the chart's values.yaml with the comments that helm-docs reads, too: `# -- what it is`, above a key.
import { isMap, parseDocument } from 'yaml';

/** [{ path: ['image', 'tag'], value: '', about: 'The chart's appVersion if empty' }], in the order of the file. */
export function readValues(text) {
  const document = parseDocument(text);
  const values = [];
  const walk = (map, path) => {
    for (const { key, value } of map.items) {
      const at = [...path, key.value];
      const about = /^ ?-- (.*)$/m.exec(
        key.commentBefore ?? (map.items[0].key === key ? map.commentBefore : '') ?? '',
      )?.[1];
      if (about !== undefined) values.push({ path: at, value: value.toJSON(), about });
      else if (isMap(value) && value.items.length > 0) walk(value, at);
      else throw new Error(`values.yaml: ${at.join('.')} has no comment that says what it is`);
    }
  };
  walk(document.contents, []);
  return values;
}
