"""A decoder layer as in Llama, and plans that spread it over ranks."""

import torch
from torch import nn
from torch.distributed.tensor import Replicate, Shard
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, hidden, heads, bias):
        super().__init__()
        self.size = hidden // heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden, hidden, bias=bias) for _ in range(4))

    def forward(self, x):
        batch, tokens, _ = x.shape
        heads = (w(x).view(batch, tokens, -1, self.size).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        y = functional.scaled_dot_product_attention(*heads, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(batch, tokens, -1))


class Mlp(nn.Module):
    def __init__(self, hidden, inner, bias):
        super().__init__()
        self.w1, self.w3 = nn.Linear(hidden, inner, bias=bias), nn.Linear(hidden, inner, bias=bias)
        self.w2 = nn.Linear(inner, hidden, bias=bias)

    def forward(self, x):
        return self.w2(functional.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    def __init__(self, hidden=24, inner=48, heads=12, bias=False):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attn, self.mlp = Attention(hidden, heads, bias), Mlp(hidden, inner, bias)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


def sequence_parallel(styles):
    """Activations are cut along the sequence between the linear layers."""
    row = {"output_layouts": Shard(1), "use_local_output": False}
    whole = {"input_layouts": (Shard(1),), "desired_input_layouts": (Replicate(),)}
    return {
        "n1": styles.SequenceParallel(),
        "n2": styles.SequenceParallel(),
        "attn": styles.PrepareModuleInput(**whole),
        "mlp": styles.PrepareModuleInput(**whole),
        **{name: styles.ColwiseParallel() for name in ("attn.wq", "attn.wk", "attn.wv", "mlp.w1", "mlp.w3")},
        **{name: styles.RowwiseParallel(**row) for name in ("attn.wo", "mlp.w2")},
    }


def tensor_parallel(styles):
    """Activations are whole on all ranks between the linear layers."""
    return {
        **{name: styles.ColwiseParallel() for name in ("attn.wq", "attn.wk", "attn.wv", "mlp.w1", "mlp.w3")},
        **{name: styles.RowwiseParallel() for name in ("attn.wo", "mlp.w2")},
    }
