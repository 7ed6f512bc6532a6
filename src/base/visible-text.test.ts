import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth } from './text-layout.ts';
import { named } from '../report/layout.ts';
import { shortened, visible } from './visible-text.ts';
import { code, codeCell, fenced, prose } from '../report/markdown.ts';

describe('visible text', () => {
  it('shows control characters as text', () => {
    assert.equal(visible('\x1b[31mred\x07'), '\\x1b[31mred\\x07');
    assert.equal(visible('a\nb\tc\r'), 'a\\nb\\tc\\r');
    assert.equal(visible('\u009b\u202e\u2066\u200b\ufeff'), '\\x9b\\u202e\\u2066\\u200b\\ufeff');
    assert.equal(visible('\udc9b \ud800'), '\\x9b \\ud800');
    assert.equal(visible('日本 → é 🚢 (*T).m'), '日本 → é 🚢 (*T).m');
  });

  it('cuts in the middle', () => {
    const name = 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync';
    assert.equal(shortened(name, 100), name);
    for (const width of [4, 10, 21, 40]) assert.equal(displayWidth(shortened(name, width)), width);
    assert.ok(displayWidth(shortened('日本語日本語', 8)) <= 8);
  });
});

describe('layout', () => {
  it('hangs items under their dash', () => {
    const at = { indent: 1, nameWidth: 4, width: 40 };
    const text = `- ${'word '.repeat(9).trim()}`;
    assert.deepEqual(named('do', [text], at), [' do  - word word word word word word', '       word word word']);
  });
});

describe('markdown', () => {
  it('leaves ordinary prose readable', () => {
    assert.equal(
      prose('1.2Mi of kube-system, see kubernetes#139823 (v1.36.3)'),
      '1.2Mi of kube-system, see kubernetes#139823 (v1.36.3)',
    );
  });

  it('escapes characters that mean something in Markdown', () => {
    assert.equal(prose('<b>*x*_y_[z]`'), '&lt;b&gt;\\*x\\*\\_y\\_\\[z\\]&#96;');
    assert.deepEqual(['# a', '- a', '1. a', '+ a'].map(prose), ['\\# a', '\\- a', '1\\. a', '\\+ a']);
    assert.equal(prose('@team #12 a/b#3 https://x'), '@\u2060team #\u206012 a/b#\u20603 https:\u2060//x');
  });

  it('fences with more backticks than there are inside', () => {
    assert.equal(code('a`b'), '``a`b``');
    assert.equal(code('`a'), '`` `a ``');
    assert.equal(codeCell('a|b'), '`a\\|b`');
    assert.deepEqual(fenced(['````', 'x']), ['`````', '````', 'x', '`````']);
  });
});
