"""What is made of tensors that seldom change, such as filters."""

import threading

import torch
from torch.utils.weak import WeakTensorKeyDictionary


class Kept:
    """Things by the tensor that they are made of. Each is made again when the tensor's version
    counter says that it has changed, and lives as long as the tensor."""

    def __init__(self):
        self._made = WeakTensorKeyDictionary()  # by tensor: (thing, address, version) by key
        self._making = threading.Lock()

    def get(self, owner, key, tensor, make, make_again):
        """The thing of `key` that make() gives, or make_again(thing) brings up to date where graphs
        may have been captured with it. `tensor`: the owner as make() reads it. None if the owner's
        version is not known, and while a graph is captured, unless it is there: only a replay would
        make it."""
        if owner.is_inference():
            return None
        with self._making:
            known = self._made.setdefault(owner, {})
            now = [tensor.data_ptr(), owner._version]
            thing, *of = known.get(key, (None, None, None))
            if of == now:
                return thing
            if tensor.is_cuda and torch.cuda.is_current_stream_capturing():
                return None
            with torch.inference_mode(False), torch.no_grad():  # also for calls outside of that mode
                if of[0] == now[0]:
                    make_again(thing)
                else:
                    thing = make()
            if tensor.is_cuda:  # calls on other streams do not wait for this one
                torch.cuda.current_stream().synchronize()
            known[key] = thing, *now
            return thing
